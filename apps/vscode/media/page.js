// @ts-check
// Runs in every visible page: shows the content that the extension sends, and sends messages for chosen elements.
const { postMessage, setState } = acquireVsCodeApi()
const page = document.getElementById("page")

setState(JSON.parse(document.body.dataset.state))

const openDetails = () => [...page.querySelectorAll("details[id]")].map(({ id, open }) => [id, open])

/** The fields whose content is the user's: those of a form, and the one that is typed into. */
const fieldsOfUser = () =>
  [...page.querySelectorAll("input[id], form select[id]")].filter(
    (field) => field.form !== null || field === document.activeElement
  )

const show = (content) => {
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
  setState(content.state)
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
})
for (const end of ["pointerup", "pointercancel", "blur"]) window.addEventListener(end, release)

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
