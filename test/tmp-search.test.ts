import { it } from "vitest"
import MiniSearch from "minisearch"
import { createSearch } from "../src/transports/docs/site/assets/search.js"
import { listPages, listSiteFiles } from "../src/transports/docs/site/site-files.ts"
import { siteSettings } from "./support/transports/docs/site/site-settings.ts"
it("x", () => {
  const t = listSiteFiles(siteSettings).get("search.json")!().text
  const t0 = performance.now()
  const s = createSearch(MiniSearch, JSON.parse(t))
  console.log(t.length, performance.now() - t0)
  for (const q of (process.env.Q ?? "").split("|")) console.log(q + "\n   " + s(q).slice(0, 12).map((r: any) => r.href + " " + r.score.toFixed(0)).join("\n   "))
  for (const { slug, title } of listPages(siteSettings)) { const [f] = s(title); if (f?.href !== `reference/${slug}.html`) console.log("TITLE", title, "->", f?.href) }
})
