// Runs before the first paint. The theme is the reader's last choice, or else that of the system. Swagger UI reads the class dark-mode.
const systemDark = matchMedia("(prefers-color-scheme: dark)")
const applyTheme = () => {
  const { classList, dataset } = document.documentElement
  classList.toggle("dark-mode", dataset.theme === undefined ? systemDark.matches : dataset.theme === "dark")
}
const storedTheme = localStorage.getItem("latchkey-theme")
if (storedTheme === "light" || storedTheme === "dark") document.documentElement.dataset.theme = storedTheme
applyTheme()
document.addEventListener("latchkey-theme", applyTheme)
systemDark.addEventListener("change", () => document.dispatchEvent(new Event("latchkey-theme")))
