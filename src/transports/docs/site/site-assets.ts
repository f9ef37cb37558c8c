import { fileURLToPath } from "node:url"

// What pages are drawn and work with: ours, and of packages what they ship for browsers. Nothing comes from anywhere else.

/** Where a file of ours or of a package lies. */
const resolvePath = (specifier: string): string => fileURLToPath(import.meta.resolve(specifier))

/** The folder of what people wrote. */
export const DOCS_FOLDER = resolvePath("../../../../docs")

const JAVASCRIPT = "text/javascript; charset=utf-8"
const CSS = "text/css; charset=utf-8"

interface SiteAsset {
  readonly file: string
  readonly contentType: string
}

/** By name, below `assets/`. */
export const SITE_ASSETS: ReadonlyMap<string, SiteAsset> = new Map([
  ["site.css", { file: resolvePath("./assets/site.css"), contentType: CSS }],
  ["site.js", { file: resolvePath("./assets/site.js"), contentType: JAVASCRIPT }],
  ["theme.js", { file: resolvePath("./assets/theme.js"), contentType: JAVASCRIPT }],
  ["try.js", { file: resolvePath("./assets/try.js"), contentType: JAVASCRIPT }],
  ["minisearch.js", { file: resolvePath("minisearch"), contentType: JAVASCRIPT }],
  ["swagger-ui.js", { file: resolvePath("swagger-ui-dist/swagger-ui-bundle.js"), contentType: JAVASCRIPT }],
  ["swagger-ui.css", { file: resolvePath("swagger-ui-dist/swagger-ui.css"), contentType: CSS }]
])
