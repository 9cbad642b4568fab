/**
 * Renders with the first of the options, largest first, whose result has at most `bytes`; with the last if none fits.
 */
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
