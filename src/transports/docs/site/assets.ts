import { fileURLToPath } from "node:url"

// What pages are drawn and work with: ours, and of packages what they ship for browsers. Nothing comes from anywhere else.

/** Where a file of ours or of a package lies. */
const at = (specifier: string): string => fileURLToPath(import.meta.resolve(specifier))

/** The folder of what people wrote. */
export const GUIDES_FOLDER = at("../../../../docs")

const JAVASCRIPT = "text/javascript; charset=utf-8"
const CSS = "text/css; charset=utf-8"

export interface Asset {
  readonly file: string
  readonly contentType: string
}

/** By name, below `assets/`. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ["site.css", { file: at("./assets/site.css"), contentType: CSS }],
  ["site.js", { file: at("./assets/site.js"), contentType: JAVASCRIPT }],
  ["theme.js", { file: at("./assets/theme.js"), contentType: JAVASCRIPT }],
  ["try.js", { file: at("./assets/try.js"), contentType: JAVASCRIPT }],
  ["minisearch.js", { file: at("minisearch"), contentType: JAVASCRIPT }],
  ["swagger-ui.js", { file: at("swagger-ui-dist/swagger-ui-bundle.js"), contentType: JAVASCRIPT }],
  ["swagger-ui.css", { file: at("swagger-ui-dist/swagger-ui.css"), contentType: CSS }]
])
