import { Effect, FileSystem } from "effect"
import type { PlatformError } from "effect/PlatformError"
import type { DocsPage } from "./docs-page.ts"

// The pages that people wrote: files below docs, each a page of its own name.

/** Below docs, by the heading of the list they are under. */
const GUIDE_FILES: ReadonlyArray<readonly [section: string, files: ReadonlyArray<string>]> = [
  ["Start here", ["guides/start-with-rest.md", "guides/start-with-mcp.md", "guides/start-with-oauth.md"]],
  [
    "Calling",
    ["api.md", "mcp.md", "oauth.md", "guides/errors.md", "limits.md", "retries.md", "client.md", "guides/versioning.md"]
  ],
  ["What happens", ["webhooks.md", "guides/verifying-webhooks.md", "feed.md", "guides/catching-up.md"]],
  ["Hosting", ["host-console.md", "calendars.md", "channels.md", "guests.md", "knowledge-base.md", "automation.md"]],
  ["Around it", ["console.md", "sandbox.md", "trail.md", "evaluation.md", "settings.md", "glossary.md"]]
]

/** Files that pages link to, served as they are. */
export const EXAMPLE_FILES = ["connector.mjs", "signed-messages.mjs", "airbnb-settings.json"]

/** Pages for administrators: files below docs that the site does not have. */
export const ADMINISTRATOR_FILES = [
  "deploy.md",
  "metrics.md",
  "on-call.md",
  "postgresql.md",
  "privacy.md",
  "processes.md",
  "secrets.md"
]

/** Where the files take the service to be; who reads them elsewhere reads that address. */
const EXAMPLE_PUBLIC_URL = "http://127.0.0.1:8080"

/** Replaces every link to a page for administrators with its text, as the site has no such page. */
const unlinkAdministratorPages = (markdown: string): string =>
  markdown.replaceAll(/\[([^\]]*)\]\(([a-z-]+\.md)(?:#[a-z0-9-]+)?\)/g, (link: string, text: string, file: string) =>
    ADMINISTRATOR_FILES.includes(file) ? text : link
  )

const toSlug = (file: string): string => file.replace(/^.*\//, "").replace(/\.md$/, "")

/**
 * Links among the files of docs, which lie in two folders, as links among pages, which lie side by side. To a page that only a
 * service has, the files link at the address of one that runs here.
 */
const toPageLinks = (markdown: string): string =>
  unlinkAdministratorPages(markdown)
    .replaceAll(`](${EXAMPLE_PUBLIC_URL}/docs/reference/`, "](")
    .replaceAll(/\]\((?:\.\.\/|guides\/)*([a-z-]+\.md(?:#[a-z0-9-]+)?)\)/g, "]($1)")
    .replaceAll(/\]\((?:\.\.\/)?examples\//g, "](../examples/")

const LINK = /\[([^\]]*)\]\([^)]*\)/g

/** The first sentence below the title, as words alone. */
const firstSentence = (markdown: string): string => {
  const paragraph = markdown.split(/\n\n+/).find((part) => !part.startsWith("#") && part.trim() !== "") ?? ""
  const words = paragraph.replaceAll(LINK, "$1").replaceAll("`", "").replaceAll(/\s+/g, " ")
  return /^.*?[.:](?=\s|$)/.exec(words)?.[0]?.replace(/:$/, ".") ?? words
}

const toGuidePage = (section: string, file: string, markdown: string, publicUrl: string): DocsPage => ({
  slug: toSlug(file),
  title: /^# (.+)$/m.exec(markdown)?.[1] ?? toSlug(file),
  description: firstSentence(markdown).replaceAll(EXAMPLE_PUBLIC_URL, publicUrl),
  section,
  markdown: toPageLinks(markdown).replaceAll(EXAMPLE_PUBLIC_URL, publicUrl)
})

/** The pages that people wrote, from a folder with docs. */
export const readGuides = (
  folder: string,
  publicUrl: string
): Effect.Effect<ReadonlyArray<DocsPage>, PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const files = GUIDE_FILES.flatMap(([section, names]) => names.map((file) => ({ section, file })))
    return yield* Effect.forEach(files, ({ section, file }) =>
      Effect.map(fs.readFileString(`${folder}/${file}`), (markdown) => toGuidePage(section, file, markdown, publicUrl))
    )
  })
