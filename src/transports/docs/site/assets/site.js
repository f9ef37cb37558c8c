import MiniSearch from "./minisearch.js"

// Search, and the switch between light and dark. The pages work without both.

const root = document.body.dataset.root
const MOST_FOUND = 12
const SAYS_NOTHING = new Set(
  "a an and are by can do for from have how i in is it my of on or the this to what who why with".split(" ")
)

const theme = document.getElementById("theme")
const isDark = () =>
  (document.documentElement.dataset.theme ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark"
const named = () => {
  theme.textContent = isDark() ? "Light" : "Dark"
}
theme.hidden = false
named()
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark"
  localStorage.setItem("latchkey-theme", document.documentElement.dataset.theme)
  named()
})

/** The list of pages is open where there is room for it. */
const menu = document.querySelector(".menu")
const wide = matchMedia("(min-width: 60rem)")
const opened = () => {
  menu.open = wide.matches
}
opened()
wide.addEventListener("change", opened)

const box = document.getElementById("search")
const found = document.getElementById("found")
box.parentElement.hidden = false

/** Made when somebody first looks for something. */
let index
const indexed = async () => {
  const response = await fetch(`${root}search.json`)
  const made = new MiniSearch({
    fields: ["title", "heading", "text"],
    storeFields: ["title", "heading", "href"],
    tokenize: (text) => text.split(/[^\p{L}\p{N}]+/u),
    processTerm: (term) => (SAYS_NOTHING.has(term.toLowerCase()) ? null : term.toLowerCase()),
    searchOptions: {
      boost: { title: 4, heading: 3 },
      // Where a field is taken says more of it than where it is passed over in words.
      boostDocument: (_id, _term, { heading }) => (heading === "Fields" ? 2 : 1),
      prefix: (term) => term.length > 2,
      fuzzy: 0.15
    }
  })
  made.addAll(await response.json())
  return made
}

const entryOf = ({ title, heading, href }) => {
  const link = document.createElement("a")
  link.href = root + href
  link.textContent = heading === title ? title : `${title}: ${heading}`
  const item = document.createElement("li")
  item.append(link)
  return item
}

const MOST_OF_A_PAGE = 2

/** What has all the words, then what has some of them; of a page its best parts alone. */
const foundFor = (made, asked) => {
  const shown = new Map()
  for (const row of [...made.search(asked, { combineWith: "AND" }), ...made.search(asked)]) {
    const parts = shown.get(row.title) ?? []
    const isNew = !parts.some(({ id }) => id === row.id)
    if (isNew && parts.length < MOST_OF_A_PAGE) shown.set(row.title, [...parts, row])
  }
  return Array.from(shown.values()).flat().slice(0, MOST_FOUND)
}

const show = async () => {
  const asked = box.value.trim()
  if (asked === "") {
    found.hidden = true
    return
  }
  index ??= indexed()
  const results = foundFor(await index, asked)
  if (box.value.trim() !== asked) return
  const nothing = document.createElement("li")
  nothing.textContent = "Nothing found"
  found.replaceChildren(...(results.length === 0 ? [nothing] : results.map(entryOf)))
  found.hidden = false
}

box.addEventListener("input", () => {
  show().catch(() => {
    index = undefined
    found.hidden = true
  })
})
box.addEventListener("keydown", (event) => {
  if (event.key === "Escape") found.hidden = true
  if (event.key === "Enter") found.querySelector("a")?.click()
})
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement?.closest("input, textarea, [contenteditable]") == null) {
    event.preventDefault()
    box.focus()
  }
})
