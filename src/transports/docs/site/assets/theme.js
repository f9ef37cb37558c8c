// Before anything is painted: what the reader chose last, else what the system says.
const chosen = localStorage.getItem("latchkey-theme")
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen
