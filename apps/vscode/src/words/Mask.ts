/** What is shown in place of names while a screen is shared. */

/** Every word keeps its first letter; what stands between words stays, so that the shape is still there. */
export const maskText = (text: string): string =>
  text.replaceAll(/[\p{L}\p{N}]+/gu, (word) => {
    const [first = ""] = word
    return word.length === first.length ? "•" : `${first}${"•".repeat(Math.min(word.length - first.length, 6))}`
  })
