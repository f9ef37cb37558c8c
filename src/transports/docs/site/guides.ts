import { posix } from "node:path"
import { Effect, FileSystem } from "effect"
import type { PlatformError } from "effect/PlatformError"
import type { DocsPage } from "./docs-page.ts"

/** Beside the folder `docs`. Without this file, the site has no page for it. */
const CHANGELOG_FILE = "../CHANGELOG.md"

/** The hand-written pages of the site by section. The files are relative to docs. */
export const GUIDE_SECTIONS: ReadonlyArray<readonly [section: string, files: ReadonlyArray<string>]> = [
  ["Quickstarts", ["quickstarts/rest.md", "quickstarts/mcp.md", "quickstarts/oauth.md", "quickstarts/webhooks.md"]],
  [
    "Guides",
    [
      "guides/page-and-filter.md",
      "guides/retry-safely.md",
      "guides/catch-up.md",
      "guides/verify-signatures.md",
      "guides/take-a-booking.md",
      "guides/push-prices.md",
      "guides/clean-after-checkout.md",
      "guides/connect-a-channel.md",
      "guides/sync-calendars.md",
      "guides/test-against-the-sandbox.md",
      "guides/test-your-integration.md"
    ]
  ],
  [
    "Reference",
    [
      "concepts.md",
      "reference/operations.md",
      "reference/errors.md",
      "reference/rate-limits.md",
      "reference/events.md",
      "reference/webhook-signatures.md",
      "reference/oauth.md",
      "reference/mcp-tools.md",
      "reference/client.md",
      "reference/cli.md",
      "reference/settings.md",
      "reference/versioning.md",
      CHANGELOG_FILE
    ]
  ],
  [
    "For hosts",
    [
      "hosts/console.md",
      "hosts/automation.md",
      "hosts/knowledge-base.md",
      "hosts/calendars.md",
      "hosts/guest-portal.md"
    ]
  ]
]

/** The files of `docs/examples` that the site serves unchanged. */
export const EXAMPLE_FILES = [
  "connector.mjs",
  "signed-messages.mjs",
  "airbnb-settings.json",
  "console-parts.html",
  "console.css"
]

/** Slugs of files that have the same name as another file. */
const SLUG_EXCEPTIONS: Readonly<Record<string, string>> = { "quickstarts/oauth.md": "oauth-quickstart" }

export const toSlug = (file: string): string => SLUG_EXCEPTIONS[file] ?? posix.basename(file, ".md").toLowerCase()

/** The address of the service in the files. The site replaces it with `publicUrl`. */
const EXAMPLE_PUBLIC_URL = "http://127.0.0.1:8080"

const CODE_BLOCK = /^(```[\s\S]*?^```)$/m
const RELATIVE_LINK = /\[([^\]]*)\]\((?![a-z]+:|#)([^)#\s]*)(#[^)\s]*)?\)/g

/** The address is relative to the pages. */
const findPageAddress = (file: string, siteFiles: ReadonlySet<string>): string | undefined => {
  if (siteFiles.has(file)) return `${toSlug(file)}.md`
  const isExample = posix.dirname(file) === "examples" && EXAMPLE_FILES.includes(posix.basename(file))
  return isExample ? `../${file}` : undefined
}

/** A link to a file that the site does not have becomes its text. */
const toPageLinks = (file: string, markdown: string, siteFiles: ReadonlySet<string>): string =>
  markdown
    .split(CODE_BLOCK)
    .map((part) =>
      part.startsWith("```")
        ? part
        : part.replaceAll(RELATIVE_LINK, (_link, text: string, href: string, anchor = "") => {
            const target = posix.relative("/docs", posix.join("/docs", posix.dirname(file), href))
            const address = findPageAddress(target, siteFiles)
            return address === undefined ? text : `[${text}](${address}${anchor})`
          })
    )
    .join("")
    .replaceAll(`](${EXAMPLE_PUBLIC_URL}/docs/reference/`, "](")

const LINK = /\[([^\]]*)\]\([^)]*\)/g

const toPlainWords = (markdown: string): string =>
  markdown
    .replaceAll(LINK, "$1")
    .replaceAll(/`|\*\*/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()

const firstSentence = (markdown: string): string => {
  const paragraph = markdown.split(/\n\n+/).find((part) => !/^(?:#|<!--)/.test(part) && part.trim() !== "") ?? ""
  const words = toPlainWords(paragraph)
  return /^.*?[.:](?=\s|$)/.exec(words)?.[0]?.replace(/:$/, ".") ?? words
}

const toGuidePage = (
  section: string,
  file: string,
  markdown: string,
  publicUrl: string,
  siteFiles: ReadonlySet<string>
): DocsPage => ({
  slug: toSlug(file),
  title: toPlainWords(/^# (.+)$/m.exec(markdown)?.[1] ?? toSlug(file)),
  description: firstSentence(markdown).replaceAll(EXAMPLE_PUBLIC_URL, publicUrl),
  section,
  markdown: toPageLinks(file, markdown, siteFiles).replaceAll(EXAMPLE_PUBLIC_URL, publicUrl)
})

/** Fails if a file other than the changelog is missing. */
export const readGuides = (
  docsFolder: string,
  publicUrl: string
): Effect.Effect<ReadonlyArray<DocsPage>, PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const hasChangelog = yield* fs.exists(`${docsFolder}/${CHANGELOG_FILE}`)
    const guides = GUIDE_SECTIONS.flatMap(([section, files]) => files.map((file) => ({ section, file }))).filter(
      ({ file }) => file !== CHANGELOG_FILE || hasChangelog
    )
    const siteFiles = new Set(guides.map(({ file }) => file))
    return yield* Effect.forEach(guides, ({ section, file }) =>
      Effect.map(fs.readFileString(`${docsFolder}/${file}`), (markdown) =>
        toGuidePage(section, file, markdown, publicUrl, siteFiles)
      )
    )
  })
