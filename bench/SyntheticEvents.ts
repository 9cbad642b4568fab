/** Synthetic chat messages, and phrases to monitor, the same in every run. */

/** An event in its JSON form, with sixty words of text: common words occur far more often than rare ones. */
export const eventAt = (index: number) => {
  const random = randomFrom(index + 1)
  return {
    event_type: "chat_message",
    metadata: {
      uid: `bench/chat/${index}`,
      severity: "low",
      estimated_created_at: new Date(1_700_000_000_000 + index * 1_000).toISOString()
    },
    data: {
      content: Array.from({ length: 60 }, () => commonWord(random())).join(" "),
      posted_at: "2026-01-01T00:00:00Z",
      actor: { name: commonWord(random()) },
      context: { conversation_name: `${commonWord(random())} ${commonWord(random())}` }
    }
  }
}

/** A phrase of one to three words; every word is equally likely. */
export const phraseAt = (index: number): string => {
  const random = randomFrom(-index - 1)
  return Array.from({ length: 1 + (index % 3) }, () => wordAt(Math.floor(random() * vocabulary))).join(" ")
}

const vocabulary = 50_000

/** The first of 50,000 words is about as frequent as in a text of a natural language. */
const commonWord = (share: number): string => wordAt(Math.floor(vocabulary ** share) - 1)

const wordAt = (index: number): string => {
  let word = ""
  for (let rest = index + 26 ** 2; rest > 0; rest = Math.floor(rest / 26)) {
    word += String.fromCharCode(97 + (rest % 26))
  }
  return word
}

/** A linear congruential generator: numbers from 0 to 1, exclusive. */
const randomFrom = (seed: number) => {
  let state = Math.imul(seed, 2_654_435_761) >>> 0
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
}
