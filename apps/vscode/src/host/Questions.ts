/** Implements questions: choices, texts, confirmations, and where to save. */
import { Effect } from "effect"
import * as vscode from "vscode"
import { Cancelled, type Choice, type Question, type QuestionsOfEditor, type Step } from "../editor/Editor.ts"
import { onItsLines, onOneLine } from "../words/HiddenCharacters.ts"
import type { HostScope } from "./HostScope.ts"

export const questions = ({ run }: HostScope): QuestionsOfEditor => ({
  // Wraps each value in an array, because undefined is a valid value and also the result of no choice.
  pick: (choices, question) =>
    pickFrom(
      choices.map((choice) => ({ ...choice, value: [choice.value] as const })),
      question
    ).pipe(
      Effect.flatMap(([first]) => (first === undefined ? Effect.fail(new Cancelled({})) : Effect.succeed(first[0])))
    ),
  pickMany: (choices, { chosen = () => undefined, ...question }) => pickFrom(choices, question, chosen),
  search: <A>(
    question: Question & { readonly pause: number; readonly atLeast: number },
    find: (text: string) => Effect.Effect<ReadonlyArray<Choice<A>>>
  ) =>
    Effect.callback<A, Cancelled>((resume) => {
      const box = vscode.window.createQuickPick<ChoiceItem<A>>()
      introduce(box, question)
      let latest = new AbortController()
      box.onDidChangeValue((value) => {
        latest.abort()
        const mine = new AbortController()
        latest = mine
        box.items = []
        const text = value.trim()
        box.busy = text.length >= question.atLeast
        if (!box.busy) return
        const answer = Effect.delay(find(text), question.pause).pipe(
          Effect.map((choices) => {
            if (mine.signal.aborted) return
            box.items = choices.map((choice) => ({ ...choiceItem(choice), alwaysShow: true }))
            box.busy = false
          })
        )
        run(answer, { signal: mine.signal }).catch(() => {})
      })
      box.onDidAccept(() => {
        const [value] = box.selectedItems.flatMap((item) => item.values)
        if (value === undefined) return
        resume(Effect.succeed(value))
        box.hide()
      })
      box.onDidHide(() => {
        latest.abort()
        resume(new Cancelled({}))
        box.dispose()
      })
      box.show()
      return Effect.sync(() => box.dispose())
    }),
  ask: ({ title, placeholder, prompt, step, value, password, check, typed }) =>
    Effect.callback<string, Cancelled>((resume) => {
      const box = vscode.window.createInputBox()
      box.title = onOneLine(title)
      box.placeholder = placeholder
      box.prompt = prompt === undefined ? undefined : onOneLine(prompt)
      box.value = value ?? ""
      box.password = password ?? false
      box.ignoreFocusOut = true
      box.onDidTriggerButton(number(box, step, resume))
      const fault = () => check?.(box.value)
      box.onDidChangeValue(() => {
        box.validationMessage = undefined
        typed?.(box.value)
      })
      box.onDidAccept(() => {
        box.validationMessage = fault()
        if (box.validationMessage !== undefined) return
        resume(Effect.succeed(box.value))
        box.hide()
      })
      box.onDidHide(() => {
        resume(new Cancelled({}))
        box.dispose()
      })
      box.show()
      return Effect.sync(() => box.dispose())
    }),
  confirm: (message, detail, action) =>
    Effect.flatMap(
      Effect.promise(async () =>
        vscode.window.showWarningMessage(onOneLine(message), { modal: true, detail: onItsLines(detail) }, action)
      ),
      (answer) => (answer === action ? Effect.void : Effect.fail(new Cancelled({})))
    ),
  whereToSave: (name, kind, extension) =>
    Effect.promise(async () => {
      const opened = vscode.workspace.workspaceFolders?.[0]?.uri
      const folder = opened === undefined ? undefined : await outsideOfGit(opened)
      return vscode.window.showSaveDialog({
        filters: { [kind]: [extension] },
        ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) })
      })
    }).pipe(
      Effect.flatMap((uri) => (uri === undefined ? Effect.fail(new Cancelled({})) : Effect.succeed(uri.toString())))
    )
})

/** The parent of the outermost git work tree around a folder, because exported data must not be committed. */
const outsideOfGit = async (folder: vscode.Uri): Promise<vscode.Uri> => {
  let outside = folder
  for (let at = folder; ;) {
    const parent = vscode.Uri.joinPath(at, "..")
    const isRoot = await vscode.workspace.fs.stat(vscode.Uri.joinPath(at, ".git")).then(
      () => true,
      () => false
    )
    if (isRoot) outside = parent
    if (parent.path === at.path) return outside
    at = parent
  }
}

const pickFrom = <A>(
  choices: ReadonlyArray<Choice<A>>,
  question: Question,
  /** Given if the person can choose several. */
  chosen?: (values: ReadonlyArray<A>) => void
): Effect.Effect<ReadonlyArray<A>, Cancelled> =>
  Effect.callback<ReadonlyArray<A>, Cancelled>((resume) => {
    const box = vscode.window.createQuickPick<ChoiceItem<A>>()
    introduce(box, question)
    const many = chosen !== undefined
    box.canSelectMany = many
    box.matchOnDescription = true
    box.matchOnDetail = true
    box.items = choices.map(choiceItem)
    const picked = box.items.filter((item) => item.picked === true)
    box.onDidTriggerButton(number(box, question.step, resume))
    if (many) box.selectedItems = picked
    // Without a preselected choice, the editor makes the first one active.
    else if (picked.length > 0) box.activeItems = picked
    const values = () => box.selectedItems.flatMap((item) => item.values)
    box.onDidChangeSelection(() => chosen?.(values()))
    box.onDidAccept(() => {
      if (!many && box.selectedItems.length === 0) return
      resume(Effect.succeed(values()))
      box.hide()
    })
    box.onDidHide(() => {
      resume(new Cancelled({}))
      box.dispose()
    })
    box.show()
    return Effect.sync(() => box.dispose())
  })

type ChoiceItem<A> = vscode.QuickPickItem & { readonly values: ReadonlyArray<A> }

const choiceItem = <A>({ label, description, detail, icon, picked, separator, value }: Choice<A>): ChoiceItem<A> => ({
  label: onOneLine(label),
  values: separator === true ? [] : [value],
  kind: separator === true ? vscode.QuickPickItemKind.Separator : vscode.QuickPickItemKind.Default,
  ...(description === undefined ? {} : { description: onOneLine(description) }),
  ...(detail === undefined ? {} : { detail: onOneLine(detail) }),
  ...(icon === undefined ? {} : { iconPath: new vscode.ThemeIcon(icon) }),
  ...(picked === undefined ? {} : { picked })
})

/** Shows the number of a question in its form, and returns the handler of its Back button. */
const number = (
  box: vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem>,
  step: Step | undefined,
  resume: (cancelled: Cancelled) => void
) => {
  const isOneOfMany = step !== undefined && step.total > 1
  box.step = isOneOfMany ? step.number : undefined
  box.totalSteps = isOneOfMany ? step.total : undefined
  if (step !== undefined && step.number > 1) box.buttons = [vscode.QuickInputButtons.Back]
  return () => {
    resume(new Cancelled({ isBack: true }))
    box.dispose()
  }
}

const introduce = <A>(box: vscode.QuickPick<ChoiceItem<A>>, { title, placeholder, prompt }: Question) => {
  box.title = onOneLine(title)
  box.placeholder = onOneLine(placeholder ?? prompt ?? "")
  box.ignoreFocusOut = true
}
