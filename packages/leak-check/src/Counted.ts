/** "1 search", "2 searches"; `noun` is singular. */
export const counted = (count: number, noun: string): string =>
  `${count} ${count === 1 ? noun : `${noun}${noun.endsWith("ch") ? "es" : "s"}`}`
