import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { html } from "../../../documents/html.ts"
import { framed } from "./frame.ts"
import { TEXTS } from "./texts.ts"
import type { Answered, OpenPage, Visit } from "./visit.ts"

// What the pages point to who wants to know more: documents of the project as they are written, which is text for people.

const FOLDER = new URL("../../../../docs/", import.meta.url)

/** The documents that pages point to, by name. */
const DOCUMENTS = ["console", "feed", "webhooks", "mcp", "api"] as const

export const documentPath = (name: (typeof DOCUMENTS)[number]): string => `/console/docs/${name}.md`

const shown =
  (name: string) =>
  (visit: Visit): Answered =>
    Effect.match(
      Effect.tryPromise(() => readFile(new URL(`${name}.md`, FOLDER), "utf8")),
      {
        onSuccess: (text) =>
          HttpServerResponse.text(text, {
            contentType: "text/plain; charset=utf-8",
            headers: {
              "cache-control": "public, max-age=300",
              "x-content-type-options": "nosniff",
              "content-security-policy": "default-src 'none'; frame-ancestors 'none'"
            }
          }),
        onFailure: () =>
          framed(visit, { title: TEXTS.frame.product, body: html`<p>${TEXTS.refused.noSuchPage}</p>` }, 404)
      }
    )

export const documentPages: ReadonlyArray<OpenPage> = DOCUMENTS.map((name) => ({
  path: documentPath(name),
  open: true,
  show: shown(name),
  acts: new Map()
}))
