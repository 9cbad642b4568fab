// @ts-check
// Runs in every page that is looked at: shows what the extension sends, and sends what somebody chooses.
const { postMessage, setState } = acquireVsCodeApi()
const page = document.getElementById("page")

setState(JSON.parse(document.body.dataset.state))

const openDetails = () => [...page.querySelectorAll("details[id]")].map(({ id, open }) => [id, open])

const show = (content) => {
  const focused = document.activeElement?.id
  const details = new Map(openDetails())
  const { scrollX, scrollY } = window
  page.innerHTML = content.body
  for (const element of page.querySelectorAll("details[id]")) {
    if (details.has(element.id)) element.open = details.get(element.id)
  }
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true })
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
  if (element !== null && element.localName !== "option") send(element)
})
document.addEventListener("change", ({ target }) => {
  const option = target.selectedOptions?.[0]
  if (option?.dataset.message !== undefined) send(option)
})

postMessage("ready")
