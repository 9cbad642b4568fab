/** The flags, or the variables that stand for them, are wrong: nothing was done. */
export const wrongUse = 2
