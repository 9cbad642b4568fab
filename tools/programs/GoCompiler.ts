/** Programs of Go that tests compile: inlining takes a third of the compiler's time, and saves less when they run. */
export const goEnv = { ...process.env, GOFLAGS: "-gcflags=all=-l" }
