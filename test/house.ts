import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

// The house as docs/architecture.md draws it: where things live and what each place may import. The page is printed from
// here, and test/architecture.test.ts holds the code to it exactly: no import that is not said, and none said that is not.

export interface Place {
  /** A folder or a file below src, without its ending slash. */
  readonly place: string
  readonly what: string
  readonly imports: ReadonlyArray<string>
}

const FAMILY = "resources/<family>"

const imports = (...names: ReadonlyArray<string>): ReadonlyArray<string> => names.flatMap((each) => each.split(" "))

export const PLACES: ReadonlyArray<Place> = [
  { place: "cli.ts", what: "the commands, listed", imports: ["cli"] },
  {
    place: "cli",
    what: "the command line",
    imports: imports(
      "main.ts backup background changes channels configuration.ts connectors console contract database deliveries demo doctor documents guests ingest installation.ts",
      "limits.ts oauth operators sandbox sealing resources/<family> telemetry workers"
    )
  },
  {
    place: "workers",
    what: "several processes on one port: the parent that keeps them at work, and what they say to each other",
    imports: imports("adapters configuration.ts database gate sealing telemetry")
  },
  {
    place: "main.ts",
    what: "the process: settings choose layers",
    imports: imports(
      "adapters assembly.ts backlog.ts background changes channels configuration.ts connectors console console-assembly.ts database deliveries demo events gate guests ingest",
      "installation.ts limits.ts oauth operators places resources/<family> resources/name-keys.ts sandbox sealing telemetry"
    )
  },
  {
    place: "backup",
    what: "everything an installation holds as it is at one moment: into a file, out of it, and from the embedded database to a server",
    imports: imports("database resources/<family>")
  },
  {
    place: "adapters",
    what: "REST, MCP, pages; `http-server/` keeps their connections, refuses what is no request, and stops",
    imports: imports(
      "Api.ts channels configuration.ts connectors console contract database deliveries desk documents events gate installation.ts limits.ts oauth",
      "operators places random-text.ts resources/<family> sandbox",
      "service.ts telemetry"
    )
  },
  {
    place: "console-assembly.ts",
    what: "what pages of the console work with beside the Service: what the process, the tests and the bench all run",
    imports: imports("console deliveries desk operators resources/<family>")
  },
  {
    place: "desk",
    what: "what pages of a host show beside operations: reads, one statement each",
    imports: imports("contract database limits.ts resources/<family> resources/row-fields.ts sealing")
  },
  {
    place: "assembly.ts",
    what: "the Service with its gate and every family: what the process, the tests and the bench all run",
    imports: imports("changes gate resources/index.ts service.ts")
  },
  {
    place: "guests",
    what: "everything about one guest: found, handed out, erased, and forgotten after so many days",
    imports: imports(
      "background changes contract database deliveries installation.ts limits.ts resources/<family> resources/guest-place.ts"
    )
  },
  {
    place: "doctor",
    what: "what is wrong with an installation, and what to do about it: rules without effects, and what is asked for them",
    imports: imports("background backlog.ts configuration.ts database sealing telemetry")
  },
  {
    place: "backlog.ts",
    what: "what is due in the background and nobody has in hand, by kind: for metrics and for who asks what is wrong",
    imports: imports("background database deliveries events resources/<family> telemetry")
  },
  {
    place: "service.ts",
    what: "the entrypoint both doors share",
    imports: imports("Api.ts background changes contract database gate limits.ts places resources/handled.ts telemetry")
  },
  {
    place: "resources/index.ts",
    what: "the layer of every family",
    imports: ["Api.ts", FAMILY, "resources/handled.ts"]
  },
  {
    place: "documents",
    what: "what is written of the service: every operation read from its contract, for OpenAPI, pages and the client",
    imports: imports("Api.ts contract installation.ts limits.ts")
  },
  { place: "Api.ts", what: "the table of contents: every operation", imports: [FAMILY] },
  {
    place: "demo",
    what: "the demo operator",
    imports: imports(
      "background channels configuration.ts contract database ingest limits.ts operators resources/<family> sandbox"
    )
  },
  {
    place: "sandbox",
    what: "the marketplace in the process: its listings, its guests, how it answers, and what it says by itself",
    imports: imports("background channels contract database ingest limits.ts resources/<family> resources/own-row.ts")
  },
  {
    place: "connectors",
    what: "connectors that run elsewhere, over HTTP: which there are, what they are asked, and what they say by themselves",
    imports: imports(
      "background channels contract database deliveries gate ingest limits.ts places random-text.ts",
      "resources/<family> sealing"
    )
  },
  {
    place: "ingest",
    what: "the one inward door: what channels say by themselves comes in here",
    imports: imports("background channels contract database limits.ts resources/<family> telemetry")
  },
  {
    place: "console",
    what: "who is signed in at the console, who tried to, and who may",
    imports: imports("background changes contract database gate limits.ts operators")
  },
  {
    place: FAMILY,
    what: "`contract.ts`, `handlers.ts`, `store.ts`, `rules.ts`, and what it lets others use",
    imports: imports(
      "background changes channels contract database deliveries events installation.ts limits.ts oauth random-text.ts",
      "resources/addresses.ts resources/guest-place.ts resources/handled.ts resources/named-row.ts resources/own-row.ts resources/row-fields.ts sealing telemetry"
    )
  },
  {
    place: "resources/handled.ts",
    what: "the seam between a family and the Service: handlers go in, readers of input come out",
    imports: imports("changes contract")
  },
  {
    place: "resources/guest-place.ts",
    what: "how a table's owner says what of a guest is in it",
    imports: imports("database")
  },
  {
    place: "resources/addresses.ts",
    what: "whose an address is that says nothing but its token",
    imports: ["database"]
  },
  {
    place: "resources/own-row.ts",
    what: "shared operations on an operator's row: naming, deleting, finding the holder of a name",
    imports: imports("changes contract database resources/named-row.ts resources/row-fields.ts")
  },
  {
    place: "resources/named-row.ts",
    what: "finds a row by its name, ignoring case",
    imports: imports("contract database")
  },
  {
    place: "resources/name-keys.ts",
    what: "fills the comparison key of names that lack one",
    imports: imports("background contract database")
  },
  {
    place: "resources/row-fields.ts",
    what: "how columns of the database become values of the contract",
    imports: ["contract"]
  },
  {
    place: "oauth",
    what: "the authorization server: clients, consents, codes, tokens and their renewal, one thought an RFC",
    imports: imports("background changes contract database gate installation.ts limits.ts operators random-text.ts")
  },
  {
    place: "operators",
    what: "operators, accounts, tokens, limits",
    imports: imports("background changes contract database gate installation.ts limits.ts")
  },
  {
    place: "channels",
    what: "the port to marketplaces: what the service asks of a channel, and what channels say",
    imports: imports("contract database limits.ts")
  },
  {
    place: "configuration.ts",
    what: "what the environment says about this process",
    imports: imports("database deliveries installation.ts limits.ts sealing telemetry")
  },
  {
    place: "deliveries",
    what: "webhooks on their way: queue, signing, addresses, sending",
    imports: imports("background changes contract database events installation.ts limits.ts sealing telemetry")
  },
  {
    place: "changes",
    what: "how a change gets into the database: with its events, its key and who made it, in one statement; what was refused",
    imports: imports("background contract database limits.ts telemetry")
  },
  {
    place: "events",
    what: "what happened, typed; recorded by the statement that changed it; the order it is told in, and who has heard of it",
    imports: imports("background contract database limits.ts telemetry")
  },
  {
    place: "gate",
    what: "credentials, entitlement, rate windows",
    imports: imports("contract database installation.ts limits.ts telemetry")
  },
  {
    place: "places",
    what: "who works at once, and whose answer is built next",
    imports: imports("contract database limits.ts telemetry")
  },
  {
    place: "contract",
    what: "the vocabulary: operation, errors, envelope, fields, money, time",
    imports: imports("installation.ts limits.ts random-text.ts")
  },
  {
    place: "background",
    what: "the vocabulary of background work: loop, polls, wake-up, lease, retries, timed work, retention, batcher; memory given back when quiet",
    imports: imports("database telemetry")
  },
  {
    place: "sealing",
    what: "secrets that have to be known again, encrypted in their columns: keys, texts, which columns there are, and sealing them anew",
    imports: imports("database limits.ts")
  },
  {
    place: "database",
    what: "the two clients, the data folder and how its database is made, migrations, how statements are built and rows read",
    imports: imports("limits.ts telemetry")
  },
  {
    place: "telemetry",
    what: "log lines, traces, metrics; nothing that looks like a token leaves",
    imports: []
  },
  { place: "installation.ts", what: "what operations know of the place they run in", imports: [] },
  { place: "random-text.ts", what: "texts nobody guesses", imports: [] },
  { place: "limits.ts", what: "the specification's numbers, and every number that bounds a caller", imports: [] }
]

/** Which families use rules or SQL fragments of which others; a store is its family's own. */
export const FAMILIES: Readonly<Record<string, ReadonlyArray<string>>> = {
  availability: ["properties"],
  "calendar-share-links": ["availability", "properties"],
  "check-in": ["images", "orders", "stays"],
  events: ["properties"],
  groups: ["properties"],
  "imported-calendars": ["availability", "calendar-share-links", "property-feeds"],
  "knowledge-bases": ["properties"],
  "listing-calendars": ["availability", "listings"],
  listings: ["channel-accounts", "properties"],
  orders: ["stays"],
  "price-and-rules": ["listings"],
  "property-feeds": ["calendar-share-links", "properties"],
  "special-offers": ["availability", "conversations", "listings", "reservations"],
  reviews: ["channel-accounts", "orders", "properties", "stays"],
  reservations: ["availability", "check-in", "custom-channels", "orders", "properties", "stays", "transactions"],
  staffs: ["properties"],
  stays: ["reservation-tags", "images"],
  tags: ["properties"],
  tasks: ["properties", "staffs", "stays"],
  transactions: ["orders", "properties"],
  conversations: ["channel-accounts", "images"],
  automation: ["check-in", "conversations", "knowledge-bases", "orders", "properties", "reviews", "stays"]
}

/** Who writes a table: a folder or file below src. */
export const OWNERS: Readonly<Record<string, string>> = {
  access_tokens: "operators",
  oauth_clients: "oauth",
  oauth_redirects: "oauth",
  oauth_grants: "oauth",
  oauth_codes: "oauth",
  oauth_refresh_tokens: "oauth",
  console_sessions: "console",
  known_browsers: "console",
  sign_in_failures: "console",
  accounts: "operators",
  operators: "operators",
  properties: "resources/properties",
  room_types: "resources/properties",
  room_type_properties: "resources/properties",
  property_groups: "resources/groups",
  group_properties: "resources/groups",
  property_tags: "resources/tags",
  tag_properties: "resources/tags",
  tag_room_types: "resources/tags",
  reservation_tags: "resources/reservation-tags",
  channel_accounts: "resources/channel-accounts",
  listings: "resources/listings",
  calendar_days: "resources/availability",
  calendar_share_links: "resources/calendar-share-links",
  calendar_share_link_properties: "resources/calendar-share-links",
  listing_pushes: "resources/listing-calendars",
  listing_lanes: "resources/listing-calendars",
  property_feeds: "resources/property-feeds",
  listing_comparisons: "resources/listing-calendars",
  imported_calendars: "resources/imported-calendars",
  imported_days: "resources/imported-calendars",
  orders: "resources/orders",
  stays: "resources/stays",
  removed_stays: "resources/stays",
  stay_tags: "resources/stays",
  guests: "resources/stays",
  identity_images: "resources/stays",
  transactions: "resources/transactions",
  transaction_shares: "resources/transactions",
  dictionary_entries: "resources/transactions",
  tasks: "resources/tasks",
  staffs: "resources/staffs",
  staff_properties: "resources/staffs",
  events: "events/events.ts",
  idempotency_keys: "changes",
  trail: "changes",
  refusals: "changes",
  forgotten_events: "events/events.ts",
  event_consumers: "events/consumers.ts",
  conversations: "resources/conversations",
  messages: "resources/conversations",
  message_lanes: "resources/conversations",
  images: "resources/images",
  image_bytes: "resources/images",
  image_shares: "resources/images",
  special_offers: "resources/special-offers",
  reviews: "resources/reviews",
  knowledge_bases: "resources/knowledge-bases",
  knowledge_fragments: "resources/knowledge-bases",
  automation_rules: "resources/automation",
  automation_stays: "resources/automation",
  automation_plans: "resources/automation",
  answer_lanes: "resources/automation",
  sandbox_threads: "sandbox",
  sandbox_messages: "sandbox",
  sandbox_offers: "sandbox",
  sandbox_reviews: "sandbox",
  connectors: "connectors",
  connector_messages: "connectors",
  sandbox_accounts: "sandbox",
  sandbox_listings: "sandbox",
  sandbox_days: "sandbox",
  sandbox_orders: "sandbox",
  sandbox_payments: "sandbox",
  sandbox_words: "sandbox",
  sandbox_asked: "sandbox",
  webhook_subscriptions: "deliveries/subscriptions.ts",
  webhook_receivers: "deliveries/subscriptions.ts",
  webhook_deliveries: "deliveries",
  webhook_attempts: "deliveries",
  channel_payments: "resources/transactions"
}

/** Statements that change another's table, `file writes table`: the demo puts down what no operation can make. */
export const WRITTEN_ELSEWHERE: ReadonlyArray<string> = [
  "demo/seed.ts writes properties",
  "demo/write-dictionary.ts writes dictionary_entries",
  "demo/write-entries.ts writes transaction_shares",
  "demo/write-entries.ts writes transactions",
  "demo/write-portfolio.ts writes properties"
]

/** What the compiler is told because it cannot see it. */
export const CASTS: ReadonlyArray<{ readonly file: string; readonly cast: string; readonly why: string }> = [
  {
    file: "contract/input.ts",
    cast: "as unknown as Schema.ConstraintCodec",
    why: "the fields are the payload's own and only some are read from text, which a mapped record cannot say in types"
  },
  {
    file: "contract/operation.ts",
    cast: "as Errors",
    why: "an operation without errors of its own has the empty list: the default of `Errors` says so, inference cannot"
  }
]

export const src = join(import.meta.dirname, "../src")

export const files: ReadonlyArray<string> = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .toSorted()

export const textOf = (file: string): string => readFileSync(join(src, file), "utf8")

/** What of src a file imports, as paths below src. */
export const importsOf = (file: string): ReadonlyArray<string> =>
  Array.from(textOf(file).matchAll(/(?:from|import\()\s*"(\.[^"]+)"|^import "(\.[^"]+)"/gm), ([, from, bare]) =>
    relative(src, join(dirname(join(src, file)), from ?? bare ?? ""))
  ).filter((path) => !path.startsWith(".."))

/** The place a file is in: a family is a place of its own, all else is by its first folder or its name. */
export const placeOf = (file: string): string => {
  const [first = file, second = ""] = file.split("/")
  return first === "resources" ? `${first}/${second}` : first
}

/** The name of a place in the table: families share one row. */
export const rowOf = (place: string): string => (isFamily(place) ? FAMILY : place)

export const isFamily = (place: string): boolean => place.startsWith("resources/") && !place.endsWith(".ts")

const CHANGES = /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:ONLY\s+)?([a-z_]+)\b/g

/** Words that follow UPDATE and name no table: `FOR UPDATE OF`, `DO UPDATE SET`. */
const NO_TABLE = new Set(["of", "set", "skip", "nowait"])

/** The rows of a list that is replaced as a whole (database/replaced-list.ts): whoever declares it writes them. */
const REPLACES = /\brows: "([a-z_]+)"/g

/** The tables a file's statements change. */
export const writesIn = (file: string): ReadonlyArray<string> => {
  const text = withoutComments(textOf(file))
  return [...text.matchAll(CHANGES), ...text.matchAll(REPLACES)]
    .map(([, table = ""]) => table)
    .filter((table) => !NO_TABLE.has(table))
}

/** Whether a file changes a table that a parameter names. */
export const writesByParameter = (file: string): boolean =>
  /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:ONLY\s+)?\$\{/.test(withoutComments(textOf(file)))

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

/** What a file says `as` to the compiler, `as const` aside. Texts and statements are no code. */
export const castsIn = (file: string): ReadonlyArray<string> =>
  Array.from(
    withoutComments(textOf(file))
      .replace(/`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g, '""')
      .replace(/^(?:import|export) [\s\S]*?from ""$/gm, "")
      .matchAll(/\bas (?!const\b)(?:unknown as )?([A-Za-z][\w.]*)/g),
    ([cast]) => cast
  )

const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("")

const code = (names: Iterable<string>): string => Array.from(names, (name) => `\`${name}\``).join(", ")

/** The tables of the page, by the names of their places in it. */
export const houseTables = (): Readonly<Record<string, string>> => ({
  places: table(
    ["place in `src`", "what it is", "imports"],
    PLACES.map(({ place, what, imports }) => [`\`${place}\``, what, imports.length === 0 ? "nothing" : code(imports)])
  ),
  families: table(
    ["family", "uses rules and fragments of"],
    Object.entries(FAMILIES).map(([family, used]) => [`\`${family}\``, code(used)])
  ),
  tables: table(
    ["owner", "tables"],
    Array.from(new Set(Object.values(OWNERS)), (owner) => [
      `\`${owner}\``,
      code(Object.keys(OWNERS).filter((each) => OWNERS[each] === owner))
    ])
  ),
  casts: table(
    ["file", "cast", "why"],
    CASTS.map(({ file, cast, why }) => [`\`${file}\``, `\`${cast}\``, why])
  )
})
