// Selects days and moves stays in the calendar, and loads more of it. Without this script, the host uses links and forms.

const DAY_MS = 86_400_000
const LOADED_DAYS = 30
const DRAG_DISTANCE = 6
const LONG_PRESS_MS = 350
const EDGE_DISTANCE = 150
const AUTO_SCROLL_STEP = 14

const main = document.querySelector("main")
const find = (selector, from = main) => from.querySelector(selector)
const findAll = (selector, from = main) => [...from.querySelectorAll(selector)]

// Days

const toDayNumber = (day) => Date.parse(`${day}T00:00:00Z`) / DAY_MS
const toDay = (number) => new Date(number * DAY_MS).toISOString().slice(0, 10)
const addDays = (day, count) => toDay(toDayNumber(day) + count)
const formatDay = (day) =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString("en-GB", { timeZone: "UTC", day: "numeric", month: "short" })
const formatDays = (from, to) => (from === to ? formatDay(from) : `${formatDay(from)} – ${formatDay(to)}`)

// The table: one cell for each day of a property

const table = () => find("table.calendar")
const scroller = () => find(".calendar-scroll")
const dayOf = (cell) => addDays(table().dataset.first, cell.cellIndex - 1)
const columnOf = (day) => toDayNumber(day) - toDayNumber(table().dataset.first) + 1
const propertyRows = () => findAll("tr[data-property]")
const rowOf = (property) => find(`tr[data-property="${property}"]`)
const cellOf = ({ property, day }) => rowOf(property)?.cells[columnOf(day)]
const placeOf = (cell) => ({ property: cell.parentElement.dataset.property, day: dayOf(cell) })
const titleOf = (row) => find(".title", row)?.textContent ?? "Unassigned"
const isPast = (day) => day < table().dataset.today

/** A cell at a point of the window, also below a stay. The heads that cover the cells are no cells. */
const cellAt = (x, y) => {
  for (const element of document.elementsFromPoint(x, y)) {
    if (element.closest("th, .bar-of-selection") !== null) return undefined
    if (element.matches(".calendar tbody td")) return element
  }
  return undefined
}

const stayOver = (cell) => {
  const day = dayOf(cell)
  return findAll("a.stay", cell.parentElement).find(({ dataset }) => dataset.from <= day && day < dataset.to)
}

// Selection: a rectangle from the anchor to the head, each a property and a day

let anchor = null
let head = null

const selectedRows = () => {
  if (anchor === null) return []
  const rows = propertyRows()
  const [one, other] = [rows.indexOf(rowOf(anchor.property)), rows.indexOf(rowOf(head.property))]
  return one < 0 || other < 0 ? [] : rows.slice(Math.min(one, other), Math.max(one, other) + 1)
}

const selectedDays = () => {
  const [from, to] = anchor.day < head.day ? [anchor.day, head.day] : [head.day, anchor.day]
  const { today } = table().dataset
  return { from: from < today ? today : from, to }
}

const select = (nextAnchor, nextHead = nextAnchor) => {
  if (nextAnchor === null || isPast(nextHead.day) || isPast(nextAnchor.day)) return
  anchor = nextAnchor
  head = nextHead
  showSelection()
}

const clearSelection = () => {
  anchor = null
  head = null
  showSelection()
}

const selectedCells = () => {
  const rows = selectedRows()
  if (rows.length === 0) return []
  const { from, to } = selectedDays()
  return rows.flatMap((row) => [...row.cells].slice(Math.max(1, columnOf(from)), columnOf(to) + 1))
}

const setFields = (form, name, values) => {
  for (const field of findAll(`[name="${name}"]`, form)) {
    if (field.matches("select")) field.disabled = true
    else field.remove()
  }
  for (const value of values) {
    const field = document.createElement("input")
    Object.assign(field, { type: "hidden", name, value })
    form.append(field)
  }
}

const fillSelectionForm = (rows, cells) => {
  const { from, to } = selectedDays()
  const [bar, form] = [find("#selection"), find("#selection form")]
  bar.hidden = false
  setFields(
    form,
    "property",
    rows.map(({ dataset }) => dataset.property)
  )
  find("[name=from]", form).value = from
  find("[name=to]", form).value = to
  const place = rows.length === 1 ? titleOf(rows[0]) : `${rows.length} properties`
  find(".selected", form).textContent = `${formatDays(from, to)} · ${place}`
  const has = (cssClass) => cells.some((cell) => cell.classList.contains(cssClass))
  const isBlocked = cells.every((cell) => cell.classList.contains("blocked"))
  find("[value=close_days]", form).hidden = isBlocked
  find("[value=open_days]", form).hidden = !has("blocked")
  find("[value=book]", form).hidden = rows.length > 1 || has("held") || has("ical")
}

const showSelection = () => {
  for (const cell of findAll("[aria-selected=true]")) cell.removeAttribute("aria-selected")
  const cells = selectedCells()
  for (const cell of cells) cell.setAttribute("aria-selected", "true")
  const bar = find("#selection")
  if (bar === null) return
  if (cells.length === 0) bar.hidden = true
  else fillSelectionForm(selectedRows(), cells)
}

// Keyboard: one cell of the table can have the focus

let focusedPlace = null

const describeCell = (cell) => {
  const { day } = placeOf(cell)
  const row = cell.parentElement
  const stay = stayOver(cell)
  const content =
    stay?.title ??
    ([...cell.childNodes]
      .filter((node) => node.nodeName !== "A")
      .map((node) => node.textContent)
      .join(", ") ||
      "Free")
  return `${titleOf(row)}, ${formatDay(day)}, ${content}`
}

const focusCell = (cell) => {
  for (const other of findAll("td[tabindex]")) other.removeAttribute("tabindex")
  cell.tabIndex = 0
  cell.setAttribute("aria-label", describeCell(cell))
  focusedPlace = placeOf(cell)
  cell.focus({ preventScroll: true })
  cell.scrollIntoView({ block: "nearest", inline: "nearest" })
}

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }

const moveFocus = (cell, key, extends_) => {
  const [down, right] = ARROWS[key]
  const rows = propertyRows()
  const row = rows[rows.indexOf(cell.parentElement) + down]
  const next = row?.cells[cell.cellIndex + right]
  if (next === undefined || next.matches("th")) return
  if (extends_) select(anchor ?? placeOf(cell), placeOf(next))
  focusCell(next)
}

const onKeyDown = (event) => {
  if (event.key === "Escape") {
    if (find(".confirmation") !== null) closeConfirmation()
    else clearSelection()
    return
  }
  if (event.key === "Enter" && event.target.matches("#selection details input")) {
    event.preventDefault()
    find("[value=set_prices]").click()
  }
  const cell = event.target
  if (!cell.matches(".calendar td")) return
  if (event.key in ARROWS) moveFocus(cell, event.key, event.shiftKey)
  else if (event.key === "Enter" && stayOver(cell) !== undefined) stayOver(cell).click()
  else if (event.key === "Enter" || event.key === " ")
    select(event.shiftKey ? (anchor ?? placeOf(cell)) : placeOf(cell), placeOf(cell))
  else return
  event.preventDefault()
}

// Pointer: drags of cells select days, drags of a stay move it

let drag = null

const startDrag = () => {
  drag.isActive = true
  table().classList.add("is-dragging")
  if (drag.stay !== null) drag.stay.classList.add("is-lifted")
  else select(drag.extendsSelection && anchor !== null ? anchor : placeOf(drag.cell), placeOf(drag.cell))
}

const onPointerDown = (event) => {
  const cell = cellAt(event.clientX, event.clientY)
  const stay = event.target.closest("a.stay")
  if (event.button !== 0 || cell === undefined || (stay === null && cell.closest("[data-property]") === null)) return
  drag = {
    cell,
    stay,
    x: event.clientX,
    y: event.clientY,
    isActive: false,
    extendsSelection: event.shiftKey,
    isTouch: event.pointerType === "touch"
  }
  if (drag.isTouch) drag.timer = setTimeout(startDrag, LONG_PRESS_MS)
  else if (stay === null) event.preventDefault()
}

const scrollNearEdges = ({ clientX, clientY }) => {
  const box = scroller().getBoundingClientRect()
  const left = box.left + find("th[scope=row]").offsetWidth
  if (clientX > box.right - 30) scroller().scrollLeft += AUTO_SCROLL_STEP
  else if (clientX < left + 20) scroller().scrollLeft -= AUTO_SCROLL_STEP
  if (clientY > box.bottom - 20) scroller().scrollTop += AUTO_SCROLL_STEP
  else if (clientY < box.top + 50) scroller().scrollTop -= AUTO_SCROLL_STEP
}

/** A move changes either the property or the days, so that an imprecise drag does not change both. */
const targetOfDrag = (cell) => {
  const [row, { dataset }] = [cell.parentElement, drag.stay]
  const ownRow = drag.stay.closest("tr")
  if (row !== ownRow) return { row, from: dataset.from, to: dataset.to }
  if ("fixedDates" in dataset || "unassigned" in row.dataset) return { row, from: dataset.from, to: dataset.to }
  const shift = toDayNumber(dayOf(cell)) - toDayNumber(drag.day)
  return { row, from: addDays(dataset.from, shift), to: addDays(dataset.to, shift) }
}

/** A drop does what the table shows, also if the table has scrolled since. */
const showTarget = (cell) => {
  for (const other of findAll(".drop-place")) other.classList.remove("drop-place")
  drag.target = cell === undefined ? undefined : targetOfDrag(cell)
  if (cell === undefined) return
  const { row, from, to } = drag.target
  for (const target of [...row.cells].slice(Math.max(1, columnOf(from)), Math.max(1, columnOf(to))))
    target.classList.add("drop-place")
}

const onPointerMove = (event) => {
  if (drag === null) return
  const [right, down] = [event.clientX - drag.x, event.clientY - drag.y]
  if (!drag.isActive) {
    if (Math.hypot(right, down) < DRAG_DISTANCE) return
    // A touch that moves before the long press scrolls.
    if (drag.isTouch) return cancelDrag()
    startDrag()
  }
  const cell = cellAt(event.clientX, event.clientY)
  if (drag.stay !== null) {
    drag.day ??= dayOf(drag.cell)
    drag.stay.style.transform = `translate(${right}px, ${down}px)`
    showTarget(cell)
  } else if (cell?.closest("[data-property]")) select(anchor, placeOf(cell))
  scrollNearEdges(event)
}

const endDrag = () => {
  clearTimeout(drag.timer)
  table().classList.remove("is-dragging")
  if (drag.stay !== null) {
    drag.stay.classList.remove("is-lifted")
    drag.stay.style.transform = ""
    showTarget(undefined)
  }
  drag = null
}

const cancelDrag = () => {
  if (drag !== null) endDrag()
}

const sendMove = ({ dataset }, { row, from, to }) => {
  const form = find("#move")
  find("[name=stay]", form).value = dataset.stay
  find("[name=property_id]", form).value = row.dataset.property ?? ""
  find("[name=check_in_date]", form).value = from
  find("[name=check_out_date]", form).value = to
  form.requestSubmit(find("button", form))
}

const dropStay = ({ stay, target }) => {
  if (target === undefined) return
  if (target.row !== stay.closest("tr") || target.from !== stay.dataset.from) sendMove(stay, target)
}

/** A tap or click selects a day. A second tap in the same property selects the days between. */
const clickCell = ({ cell, extendsSelection, isTouch }) => {
  const place = placeOf(cell)
  const isSecondTap =
    isTouch &&
    anchor !== null &&
    anchor.property === place.property &&
    anchor.day === head.day &&
    anchor.day !== place.day
  select(anchor !== null && (extendsSelection || isSecondTap) ? anchor : place, place)
  focusCell(cell)
}

const onPointerUp = () => {
  if (drag === null) return
  const ended = { ...drag }
  endDrag()
  if (ended.isActive) {
    document.addEventListener("click", stopClick, { capture: true, once: true })
    setTimeout(() => document.removeEventListener("click", stopClick, { capture: true }), 0)
    if (ended.stay !== null) dropStay(ended)
    else if (head !== null) focusCell(cellOf(head) ?? ended.cell)
  } else if (ended.stay === null) clickCell(ended)
}

/** The click after a drag of a stay would open the stay. */
const stopClick = (event) => {
  event.preventDefault()
  event.stopPropagation()
}

// Changes and further days are shown by the page itself, of which the script takes the parts

const addressOf = (params) => {
  const url = new URL(location.href)
  for (const name of ["done", "notice"]) url.searchParams.delete(name)
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  return url
}

const parsePage = async (response) => new DOMParser().parseFromString(await response.text(), "text/html")

/** Keeps the day at the left edge and the row at the upper edge where they are. */
const keepScroll = (change) => {
  const { scrollLeft, scrollTop } = scroller()
  const firstDay = toDayNumber(table().dataset.first)
  change()
  const dayWidth = find(".days th:nth-child(2)").offsetWidth
  scroller().scrollLeft = scrollLeft + (firstDay - toDayNumber(table().dataset.first)) * dayWidth
  scroller().scrollTop = scrollTop
  lastScroll = { left: scroller().scrollLeft, top: scroller().scrollTop }
}

/** A live region is announced only if its text comes after it. */
const announce = (next) => {
  for (const region of findAll("[role=status], [role=alert]", next)) {
    const content = [...region.childNodes]
    region.replaceChildren()
    setTimeout(() => region.append(...content), 50)
  }
}

const showPage = (page) => {
  const next = find("main", page)
  announce(next)
  const nextTable = find("table.calendar", next)
  if (table() === null || nextTable === null) main.replaceChildren(...next.childNodes)
  else keepScroll(() => main.replaceChildren(...next.childNodes))
  prepare()
}

const restoreFocus = () => {
  const confirmation = find(".confirmation")
  const cell = focusedPlace === null ? undefined : cellOf(focusedPlace)
  if (confirmation !== null) find("button", confirmation).focus()
  else if (cell !== undefined) focusCell(cell)
  else main.focus({ preventScroll: true })
}

const showProblem = (text) => {
  const message = document.createElement("p")
  message.className = "message error"
  message.setAttribute("role", "alert")
  main.prepend(message)
  message.textContent = text
}

let isSending = false

const send = async (form, submitter) => {
  const body = new URLSearchParams(new FormData(form))
  body.append(submitter.name, submitter.value)
  const response = await fetch(form.action, { method: "POST", body })
  const url = new URL(response.url)
  if (url.pathname !== location.pathname) return location.assign(url)
  if (response.ok) clearSelection()
  const pages = shownPages()
  history.replaceState(null, "", addressOf({}))
  showPage(await parsePage(response))
  for (const offset of pages) await loadProperties(offset)
  showSelection()
  restoreFocus()
}

const onSubmit = (event) => {
  const { target: form, submitter } = event
  if (form.method !== "post" || submitter === null || submitter.value === "book") return
  event.preventDefault()
  if (isSending) return
  isSending = true
  send(form, submitter)
    .catch(() => showProblem("The service did not answer. Check your connection and try again."))
    .finally(() => {
      isSending = false
    })
}

// Further days and properties

let isLoading = false
let loadedOffsets = []
let lastScroll = { left: 0, top: 0 }

const shownPages = () => loadedOffsets

const load = async (url) => {
  const response = await fetch(url)
  if (!response.ok || new URL(response.url).pathname !== location.pathname) return undefined
  return parsePage(response)
}

/** The shown days never exceed the limit: further days on one side replace days on the other. */
const nextWindow = (direction) => {
  const { first, days, mostDays } = table().dataset
  const count = Math.min(Number(days) + LOADED_DAYS, Number(mostDays))
  const dropped = Number(days) + LOADED_DAYS - count
  return { from: addDays(first, direction < 0 ? -LOADED_DAYS : dropped), days: String(count) }
}

/** Replaces the table and where forms and links lead. Forms keep what was filled in. */
const loadDays = async (direction) => {
  const url = addressOf(nextWindow(direction))
  const page = await load(url)
  if (page === undefined) return
  history.replaceState(null, "", url)
  keepScroll(() => table().replaceWith(find("table.calendar", page)))
  find(".calendar-head").replaceWith(find(".calendar-head", page))
  for (const form of findAll("form[method=post]")) form.action = find("#move", page)?.action ?? form.action
  const pages = loadedOffsets
  prepareTable()
  for (const offset of pages) await loadProperties(offset)
  showSelection()
  if (focusedPlace !== null && document.activeElement === document.body) restoreFocus()
}

const loadProperties = async (offset) => {
  const page = await load(addressOf({ offset }))
  if (page === undefined) return
  const rows = findAll("tr[data-property]", page)
  find("tbody").append(...rows)
  loadedOffsets = [...loadedOffsets, offset]
  const [pages, next] = [find("nav[aria-label=Pages]"), find("nav[aria-label=Pages]", page)]
  if (pages !== null && next !== null) pages.replaceWith(next)
  prepareTable(loadedOffsets)
}

const nextOffset = () => {
  const link = findAll("nav[aria-label=Pages] a").at(-1)
  const offset = link?.textContent === "Next page" ? Number(new URL(link.href).searchParams.get("offset")) : 0
  return offset > 0 && !loadedOffsets.includes(offset) ? offset : undefined
}

const loadOnce = (loading) => {
  if (isLoading || drag !== null) return
  isLoading = true
  loading()
    .catch(() => undefined)
    .finally(() => {
      isLoading = false
    })
}

const onScroll = () => {
  const { scrollLeft: left, scrollTop: top, scrollWidth, clientWidth, scrollHeight, clientHeight } = scroller()
  const previous = lastScroll
  lastScroll = { left, top }
  if (left < previous.left && left < EDGE_DISTANCE) loadOnce(() => loadDays(-1))
  else if (left > previous.left && left > scrollWidth - clientWidth - EDGE_DISTANCE) loadOnce(() => loadDays(1))
  const offset = top > previous.top && top > scrollHeight - clientHeight - EDGE_DISTANCE ? nextOffset() : undefined
  if (offset !== undefined) loadOnce(() => loadProperties(offset))
}

// Parts of the page that each display needs

const prepareTable = (offsets = []) => {
  loadedOffsets = offsets
  table().setAttribute("role", "grid")
  table().setAttribute("aria-multiselectable", "true")
  scroller().removeAttribute("tabindex")
  for (const stay of findAll("a.stay")) {
    stay.draggable = false
    stay.tabIndex = -1
  }
  const cell = (focusedPlace === null ? undefined : cellOf(focusedPlace)) ?? propertyRows()[0]?.cells[1]
  if (cell !== undefined) cell.tabIndex = 0
}

const prepareSelectionForm = () => {
  const bar = find("#selection")
  if (bar === null) return
  bar.classList.add("bar-of-selection")
  find(".selected", bar).hidden = false
  find(".clear", bar).hidden = false
  find(".calendar-help").hidden = false
  showSelection()
}

const prepare = () => {
  if (table() === null) return
  prepareTable()
  prepareSelectionForm()
  scroller().addEventListener("scroll", onScroll, { passive: true })
  scroller().addEventListener(
    "touchmove",
    (event) => {
      if (drag?.isActive) event.preventDefault()
    },
    { passive: false }
  )
}

const closeConfirmation = () => {
  find(".confirmation").remove()
  restoreFocus()
}

const onClick = (event) => {
  if (event.target.closest("[data-cancel]") !== null) {
    event.preventDefault()
    closeConfirmation()
  } else if (event.target.closest("button.clear") !== null) clearSelection()
}

/** The first display begins a pixel from the edge, so that a scroll to earlier days is noticed. */
const start = () => {
  prepare()
  if (table() === null) return
  scroller().scrollLeft = 1
  lastScroll = { left: scroller().scrollLeft, top: 0 }
  if (scroller().scrollWidth <= scroller().clientWidth) loadOnce(() => loadDays(1))
}

main.addEventListener("pointerdown", onPointerDown)
document.addEventListener("pointermove", onPointerMove)
document.addEventListener("pointerup", onPointerUp)
document.addEventListener("pointercancel", cancelDrag)
main.addEventListener("contextmenu", (event) => {
  if (drag?.isTouch) event.preventDefault()
})
main.addEventListener("focusin", ({ target }) => {
  if (target.matches(".calendar td")) target.setAttribute("aria-label", describeCell(target))
})
document.addEventListener("keydown", onKeyDown)
main.addEventListener("click", onClick)
main.addEventListener("submit", onSubmit)
start()
