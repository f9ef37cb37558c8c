import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, it } from "@effect/vitest"
import {
  BACKGROUND_CONNECTIONS,
  DIRECT_CONNECTIONS,
  POOLED_BACKGROUND_CONNECTIONS,
  PROBE_CONNECTIONS
} from "../../src/platform/database/database-layers.ts"
import { DATABASE_CONNECTIONS } from "../../src/platform/database/postgres.ts"
import { CONCURRENCY_PERMITS, SHARED_READ_CONNECTIONS } from "../../src/platform/limits.ts"
import { toAnchor } from "../../src/transports/docs/site/markdown.ts"
import { markdownTable } from "../../src/transports/docs/site/operation-page.ts"
import { assertGeneratedPart } from "../support/generated-page.ts"
import { POOLER_SETTINGS } from "../support/postgres-server.ts"

const root = join(import.meta.dirname, "../..")

/** PostgreSQL's own `max_connections`, without those that it keeps for superusers. */
const SERVER_CONNECTIONS = 100 - 3
const together = DATABASE_CONNECTIONS + BACKGROUND_CONNECTIONS + PROBE_CONNECTIONS

it("docs/operate/postgresql.md has the connections of a process (write it with UPDATE_DOCS=1)", () => {
  const rows = [
    [
      "requests",
      `${DATABASE_CONNECTIONS} (\`DATABASE_CONNECTIONS\`): ${CONCURRENCY_PERMITS} for as many calls at once, ${SHARED_READ_CONNECTIONS} that short reads share`
    ],
    ["background work", `${BACKGROUND_CONNECTIONS} (behind PgBouncer ${POOLED_BACKGROUND_CONNECTIONS})`],
    ["`/health/ready`", `${PROBE_CONNECTIONS}`],
    ["**together**", `**${together}**`],
    ["migrations, until a minute after the start", "1 more"],
    ["`DATABASE_DIRECT_URL`, if it is set", `${DIRECT_CONNECTIONS} more`],
    [
      "a server with the default `max_connections` (100, 3 of them for superusers)",
      `enough for ${Math.floor(SERVER_CONNECTIONS / (together + 1))} processes`
    ]
  ]
  assertGeneratedPart("operate/postgresql.md", "connections", markdownTable(["for", "connections"], rows))
})

it("docs/operate/postgresql.md shows the settings of PgBouncer that were tried", () => {
  const text = readFileSync(join(root, "docs/operate/postgresql.md"), "utf8")
  for (const line of POOLER_SETTINGS) assert.include(text, `\n${line}\n`)
})

it("docs/contribute/test.md shows the test with fakes that the suite runs", () => {
  const example = readFileSync(join(import.meta.dirname, "../service/fakes.service.test.ts"), "utf8")
  assert.include(
    readFileSync(join(import.meta.dirname, "../../docs/contribute/test.md"), "utf8"),
    `\`\`\`ts\n${example}\`\`\`\n`
  )
  assert.isAtMost(example.split("\n").length, 31)
})

const markdownFiles = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join("docs", file))
]

/** The ids of the headings of a file, as they are made from their texts. */
const listAnchors = (file: string): ReadonlyArray<string> =>
  Array.from(readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm), ([, heading = ""]) => toAnchor(heading))

it.each(markdownFiles)("%s links to files and headings that exist", (file) => {
  const links = Array.from(
    withoutCode(readFileSync(join(root, file), "utf8")).matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]*))?\)/g),
    ([, path = "", anchor]) => ({
      path,
      anchor,
      target: path === "" ? join(root, file) : join(root, dirname(file), path)
    })
  )
  const dead = links.filter(
    ({ target, anchor }) =>
      !existsSync(target) || (anchor !== undefined && target.endsWith(".md") && !listAnchors(target).includes(anchor))
  )
  assert.deepStrictEqual(
    dead.map(({ path, anchor = "" }) => `${path}#${anchor}`),
    []
  )
})

const withoutCode = (markdown: string): string => markdown.replaceAll(/^```[\s\S]*?^```$/gm, "")
