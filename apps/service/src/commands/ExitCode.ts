/** The flags, or the variables in place of them, are wrong: nothing was done. */
export const wrongUse = 2
