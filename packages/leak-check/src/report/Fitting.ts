/** The first rendering that has at most `bytes`; the last one if none has. */
export const fitting = <Measure>(
  measures: ReadonlyArray<Measure>,
  bytes: number,
  render: (measure: Measure) => string
): string => {
  const encoder = new TextEncoder()
  let text = ""
  for (const measure of measures) {
    text = render(measure)
    if (encoder.encode(text).length <= bytes) break
  }
  return text
}
