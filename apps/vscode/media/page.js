// @ts-check
// Runs in every visible page: shows the content that the extension sends, and sends messages for chosen elements.
const { postMessage, setState } = acquireVsCodeApi()
const page = document.getElementById("page")

setState(JSON.parse(document.body.dataset.state))

/** The markup that the page shows; undefined before the first message. */
let drawn
/** The id of the element that had the focus last. */
let lastFocused

const openDetails = () => [...page.querySelectorAll("details[id]")].map(({ id, open }) => [id, open])

/** The fields whose content is the user's: those of a form, and the one that is typed into. */
const fieldsOfUser = () =>
  [...page.querySelectorAll("input[id], form select[id]")].filter(
    (field) => field.form !== null || field === document.activeElement
  )

const show = (content) => {
  setState(content.state)
  // Drawing the same page again would lose the selected text.
  if (content.body === drawn) return
  drawn = content.body
  const focused = document.activeElement?.id
  const caret = document.activeElement?.selectionStart
  const details = new Map(openDetails())
  const fields = new Map(fieldsOfUser().map(({ checked, id, value }) => [id, { checked, value }]))
  const { scrollX, scrollY } = window
  page.innerHTML = content.body
  for (const element of page.querySelectorAll("details[id]")) {
    if (details.has(element.id)) element.open = details.get(element.id)
  }
  for (const [id, { checked, value }] of fields) {
    const field = document.getElementById(id)
    if (field?.type === "checkbox") field.checked = checked
    else if (field) field.value = value
  }
  const active = focused ? document.getElementById(focused) : null
  active?.focus({ preventScroll: true })
  if (typeof caret === "number" && active?.setSelectionRange) active.setSelectionRange(caret, caret)
  window.scrollTo(scrollX, scrollY)
}

// An element that is replaced between pointerdown and pointerup gets no click.
let isPressed = false
let latest
window.addEventListener("message", ({ data }) => {
  if (isPressed) latest = data
  else show(data)
})
const release = () => {
  isPressed = false
  // Runs after the click.
  setTimeout(() => {
    if (latest !== undefined) show(latest)
    latest = undefined
  })
}
window.addEventListener("pointerdown", () => {
  isPressed = true
  lastFocused = undefined
})
for (const end of ["pointerup", "pointercancel", "blur"]) window.addEventListener(end, release)

document.addEventListener("focusin", ({ target }) => {
  lastFocused = target.id
})
// The browser forgets the focused element when the focus goes to another part of the window, such as a question.
window.addEventListener("focus", () => {
  if (lastFocused && document.activeElement === document.body)
    document.getElementById(lastFocused)?.focus({ preventScroll: true })
})

const send = (element) => postMessage(JSON.parse(element.dataset.message))

document.addEventListener("click", ({ target }) => {
  const element = target.closest("[data-message]")
  if (element !== null && !["form", "input", "option"].includes(element.localName)) send(element)
})
document.addEventListener("input", ({ target }) => {
  const { message } = target.dataset
  if (message !== undefined) postMessage({ ...JSON.parse(message), text: target.value })
})
document.addEventListener("submit", (event) => {
  event.preventDefault()
  const form = event.target
  const values = {}
  for (const { checked, name, type, value } of form.elements) {
    if (name === "") continue
    if (type !== "checkbox") values[name] = value
    else values[name] = [...(values[name] ?? []), ...(checked ? [value] : [])]
  }
  postMessage({ ...JSON.parse(form.dataset.message), values })
})
document.addEventListener("change", ({ target }) => {
  const option = target.selectedOptions?.[0]
  if (option?.dataset.message !== undefined) send(option)
})

postMessage("ready")
