/** Renders with the options, largest first, until the result has at most `bytes`. If none fits, uses the last. */
export const withinSize = <Option>(
  options: ReadonlyArray<Option>,
  bytes: number,
  render: (option: Option) => string
): string => {
  const encoder = new TextEncoder()
  let text = ""
  for (const option of options) {
    text = render(option)
    if (encoder.encode(text).length <= bytes) break
  }
  return text
}
