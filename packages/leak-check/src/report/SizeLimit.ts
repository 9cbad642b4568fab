/** Of a list of options, fullest first, the rendering of the first that has at most `bytes`; of the last if none has. */
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
