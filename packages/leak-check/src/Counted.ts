/** "1 search", "2 searches"; `noun` is singular. */
export const counted = (count: number, noun: string): string => `${count} ${count === 1 ? noun : plural(noun)}`

export const plural = (noun: string): string => {
  if (noun.endsWith("ch")) return `${noun}es`
  return /[^aeiou]y$/u.test(noun) ? noun.replace(/y$/u, "ies") : `${noun}s`
}
