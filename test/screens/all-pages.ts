import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { chromium } from "playwright-core"
import { CHROMIUM_PATH } from "../support/browser.ts"
import { EVERY_PAGE, findOverhang, openConsolePage, signInToConsole } from "../support/transports/console/every-page.ts"

// `node test/screens/all-pages.ts <address> <e-mail> <password> <folder> [page,page]`: pictures of every page of a running
// service at three widths, light and dark, for the checklist of docs/contribute/console.md.

const WIDTHS = (process.env["WIDTHS"] ?? "390,1280,1600").split(",").map(Number)
const PHONE_MAX = 500

const [base, email, password, folder, names] = process.argv.slice(2)
if (base === undefined || email === undefined || password === undefined || folder === undefined)
  throw new Error("usage: all-pages.ts <address> <e-mail> <password> <folder> [page,page]")

const pages = names === undefined ? EVERY_PAGE : EVERY_PAGE.filter(({ name }) => names.split(",").includes(name))
mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({ executablePath: CHROMIUM_PATH, args: ["--no-sandbox", "--disable-gpu"] })
try {
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of WIDTHS) {
      const viewport = { width, height: width < PHONE_MAX ? 844 : 900 }
      const page = await browser.newPage({ viewport, colorScheme })
      await signInToConsole(page, base, { email, password })
      for (const each of pages) {
        await openConsolePage(page, base, each)
        const overhang = await findOverhang(page)
        const file = join(folder, `${each.name}-${width}-${colorScheme}.png`)
        await page.screenshot({ path: file, fullPage: true })
        console.log(overhang > 0 ? `${file}: ${overhang} pixels too wide` : file)
      }
      await page.close()
    }
} finally {
  await browser.close()
}
