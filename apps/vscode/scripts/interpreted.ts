/** Replaces the schema compiler: schemas stay interpreted. */
export const enable = () => {}
