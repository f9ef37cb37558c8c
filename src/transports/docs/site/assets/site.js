import MiniSearch from "./minisearch.js"
import { createSearch } from "./search.js"

// Search, the switch between light and dark, and the list of pages. The pages can be read without this script.

const root = document.body.dataset.root

const themeButton = document.getElementById("theme")
const isDark = () => document.documentElement.classList.contains("dark-mode")
const labelThemeButton = () => {
  themeButton.textContent = isDark() ? "Light" : "Dark"
}
themeButton.hidden = false
labelThemeButton()
document.addEventListener("latchkey-theme", labelThemeButton)
themeButton.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark"
  localStorage.setItem("latchkey-theme", document.documentElement.dataset.theme)
  document.dispatchEvent(new Event("latchkey-theme"))
})

const menu = document.querySelector(".menu")
const wideScreen = matchMedia("(min-width: 60rem)")
const openMenuOnWideScreen = () => {
  menu.open = wideScreen.matches
}
openMenuOnWideScreen()
wideScreen.addEventListener("change", openMenuOnWideScreen)

const searchBox = document.getElementById("search")
const resultList = document.getElementById("found")
searchBox.parentElement.hidden = false

/** A promise of the search function, from the first query on. */
let search
const loadSearch = async () => {
  const response = await fetch(`${root}search.json`)
  return createSearch(MiniSearch, await response.json())
}

const toResultItem = ({ title, heading, description, href }) => {
  const link = document.createElement("a")
  link.href = root + href
  link.textContent = heading === title ? title : `${title}: ${heading}`
  const item = document.createElement("li")
  item.append(link)
  if (description !== undefined) {
    const summary = document.createElement("div")
    summary.className = "soft"
    summary.textContent = description
    item.append(summary)
  }
  return item
}

const showResults = async () => {
  const query = searchBox.value.trim()
  if (query === "") {
    resultList.hidden = true
    return
  }
  search ??= loadSearch()
  const results = (await search)(query)
  if (searchBox.value.trim() !== query) return
  const emptyItem = document.createElement("li")
  emptyItem.textContent = "Nothing found"
  resultList.replaceChildren(...(results.length === 0 ? [emptyItem] : results.map(toResultItem)))
  resultList.hidden = false
}

searchBox.addEventListener("input", () => {
  showResults().catch(() => {
    search = undefined
    resultList.hidden = true
  })
})
searchBox.addEventListener("keydown", (event) => {
  if (event.key === "Escape") resultList.hidden = true
  if (event.key === "Enter") resultList.querySelector("a")?.click()
})
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement?.closest("input, textarea, [contenteditable]") == null) {
    event.preventDefault()
    searchBox.focus()
  }
})
