import { fileURLToPath } from "node:url"

/** Resolves a file or the main file of a package, or a path relative to this file. */
const resolvePath = (specifier: string): string => fileURLToPath(import.meta.resolve(specifier))

export const DOCS_FOLDER = resolvePath("../../../../docs")

const JAVASCRIPT = "text/javascript; charset=utf-8"
const CSS = "text/css; charset=utf-8"

interface SiteAsset {
  readonly file: string
  readonly contentType: string
}

/** The files of the site's folder `assets/`, by name. Pages load no other scripts or style sheets. */
export const SITE_ASSETS: ReadonlyMap<string, SiteAsset> = new Map([
  ["site.css", { file: resolvePath("./assets/site.css"), contentType: CSS }],
  ["search.js", { file: resolvePath("./assets/search.js"), contentType: JAVASCRIPT }],
  ["site.js", { file: resolvePath("./assets/site.js"), contentType: JAVASCRIPT }],
  ["theme.js", { file: resolvePath("./assets/theme.js"), contentType: JAVASCRIPT }],
  ["try.css", { file: resolvePath("./assets/try.css"), contentType: CSS }],
  ["try.js", { file: resolvePath("./assets/try.js"), contentType: JAVASCRIPT }],
  ["minisearch.js", { file: resolvePath("minisearch"), contentType: JAVASCRIPT }],
  ["swagger-ui.js", { file: resolvePath("swagger-ui-dist/swagger-ui-bundle.js"), contentType: JAVASCRIPT }],
  ["swagger-ui.css", { file: resolvePath("swagger-ui-dist/swagger-ui.css"), contentType: CSS }]
])
