import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { readGuides } from "../../../../../src/transports/docs/site/guides.ts"
import { DOCS_FOLDER } from "../../../../../src/transports/docs/site/site-assets.ts"
import type { SiteSettings } from "../../../../../src/transports/docs/site/site-files.ts"

/** The settings of a site that is built for another address than that of the service. */
export const siteSettings: SiteSettings = {
  publicUrl: "https://api.example.com",
  docsUrl: "https://docs.example.com",
  deployment: "international",
  guides: await Effect.runPromise(
    Effect.provide(readGuides(DOCS_FOLDER, "https://api.example.com"), NodeServices.layer)
  ),
  apiBaseUrl: undefined
}
