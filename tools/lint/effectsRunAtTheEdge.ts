import { memberPath, type Rule } from "./Rule.ts"

/** Programs, threads and the promises of core; NodeRequests and HostScope take what Node and the editor call back. */
const edges =
  /\/(main|extension|promise|clusterThread|NodeRequests|HostScope)\.ts$|\/(test|tests|testing|tools|bench|examples)\//u
const runners =
  /^(Effect\.run(Promise|PromiseExit|Sync|SyncExit|Fork|Callback)(With)?|Fiber(Set|Map|Handle)\.(run|makeRuntime)(Promise)?|NodeRuntime\.runMain|ManagedRuntime\.make)$/u

export const effectsRunAtTheEdge: Rule = {
  meta: { type: "problem", docs: { description: "Effects are run in main.ts, extension.ts and promise.ts only" } },
  create: (context) =>
    edges.test(context.filename.replaceAll("\\", "/"))
      ? {}
      : {
          MemberExpression(node) {
            const path = memberPath(node)
            if (runners.test(path)) {
              context.report({
                node,
                message: `${path} belongs in main.ts, extension.ts or promise.ts: return the effect instead`
              })
            }
          }
        }
}
