import type { Page } from "playwright-core"

/** A page of the console, as a host of the demo reaches it: by its path, or by the first link of another page that matches. */
export interface ConsolePagePath {
  readonly name: string
  readonly path: string
  readonly link?: RegExp
}

export const EVERY_PAGE: ReadonlyArray<ConsolePagePath> = [
  { name: "calendar", path: "/console/calendar" },
  { name: "overview", path: "/console/overview" },
  { name: "start", path: "/console/start" },
  { name: "reservations", path: "/console/reservations" },
  { name: "no-reservations", path: "/console/reservations?q=nobody" },
  { name: "new-reservation", path: "/console/reservations/new" },
  { name: "stay", path: "/console/reservations", link: /\/console\/stay\?/ },
  { name: "request", path: "/console/reservations?status=wait_accept", link: /\/console\/stay\?/ },
  { name: "messages", path: "/console/messages" },
  { name: "conversation", path: "/console/messages", link: /\/console\/messages\?id=/ },
  { name: "tasks", path: "/console/tasks" },
  { name: "new-task", path: "/console/tasks?add=1" },
  { name: "money", path: "/console/money" },
  { name: "new-expense", path: "/console/money?add=expense" },
  { name: "properties", path: "/console/properties" },
  { name: "property", path: "/console/properties", link: /\/console\/properties\/property\?/ },
  { name: "prices", path: "/console/prices" },
  { name: "channels", path: "/console/channels" },
  { name: "listing", path: "/console/channels", link: /\/console\/channels\/listing\?/ },
  { name: "ical-sync", path: "/console/calendars" },
  { name: "automation", path: "/console/automation" },
  { name: "reviews", path: "/console/reviews" },
  { name: "knowledge", path: "/console/knowledge" },
  { name: "reports", path: "/console/year" },
  { name: "categories", path: "/console/words" },
  { name: "team", path: "/console/people" },
  { name: "activity-log", path: "/console/history" },
  { name: "notifications", path: "/console/notifications" },
  { name: "access", path: "/console/access" },
  { name: "password", path: "/console/password" }
]

/** Opens the page in a browser that is signed in. Throws if the demo has no such page. */
export const openConsolePage = async (page: Page, base: string, { name, path, link }: ConsolePagePath) => {
  const response = await page.goto(`${base}${path}`)
  if (response?.status() !== 200) throw new Error(`${name}: ${path} answered ${response?.status()}`)
  if (link === undefined) return
  const addresses = await page
    .locator("main a[href]")
    .evaluateAll((links) => links.map((each) => each.getAttribute("href") ?? ""))
  const address = addresses.find((each) => link.test(each))
  if (address === undefined) throw new Error(`${name}: ${path} has no such link`)
  const linked = await page.goto(`${base}${address}`)
  if (linked?.status() !== 200) throw new Error(`${name}: ${address} answered ${linked?.status()}`)
}

/** Pixels by which the page is wider than the window. */
export const findOverhang = (page: Page): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")

/** Signs in with the form of `/console`. */
export const signInToConsole = async (
  page: Page,
  base: string,
  account: { readonly email: string; readonly password: string }
) => {
  await page.goto(`${base}/console`)
  await page.fill("[name=email]", account.email)
  await page.fill("[name=password]", account.password)
  await page.click("[value=sign_in]")
  await page.waitForURL("**/console/calendar")
}
