import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

// The module map that docs/architecture.md shows: the places of src, and what each place imports. The page is generated from this
// file. test/architecture.test.ts compares it with the code: an import must be listed here, and every listed import must exist.

export interface ModulePlace {
  /** A folder or a file below src, without its ending slash. */
  readonly place: string
  readonly what: string
  readonly imports: ReadonlyArray<string>
}

const FAMILY = "domain/<family>"

/** Names in texts of several lines, separated by spaces. */
const list = (...lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.flatMap((line) => line.split(" "))

export const MODULES: ReadonlyArray<ModulePlace> = [
  { place: "cli.ts", what: "the entry of the command line: lists the commands", imports: list("tools/cli") },
  {
    place: "tools/cli",
    what: "the commands that an administrator runs",
    imports: list(
      "changes connectors/http connectors/ingest connectors/sandbox contract domain/<family>",
      "domain/access/oauth domain/access/operators domain/access/sign-in domain/channels/port",
      "domain/webhooks/deliveries jobs main.ts platform/database platform/installation.ts",
      "platform/limits.ts platform/sealing platform/telemetry service/configuration.ts",
      "service/settings.ts tools/backup tools/demo tools/doctor tools/privacy tools/workers transports/docs"
    )
  },
  {
    place: "tools/workers",
    what: "several worker processes on one port: the primary process, and its messages with the workers",
    imports: list(
      "admission/windows platform/database platform/sealing platform/telemetry service/configuration.ts",
      "transports/metrics"
    )
  },
  {
    place: "main.ts",
    what: "the process: settings select the layers",
    imports: list(
      "admission/concurrency admission/windows changes connectors/http connectors/ingest connectors/sandbox",
      "domain/<family> domain/access/oauth domain/access/operators domain/access/sign-in",
      "domain/channels/port domain/name-key-backfill.ts domain/webhooks/deliveries jobs jobs/events",
      "platform/database platform/installation.ts platform/limits.ts platform/sealing platform/telemetry",
      "service/service-assembly.ts service/backlog.ts service/configuration.ts tools/demo tools/privacy",
      "transports/connectors transports/console transports/console/assembly.ts transports/http-server",
      "transports/http-app.ts transports/metrics transports/public-documents transports/sandbox-pages"
    )
  },
  {
    place: "tools/backup",
    what: "backup and restore of an installation, and the move from the embedded database to a server",
    imports: list("domain/<family> platform/database")
  },
  {
    place: "tools/privacy",
    what: "the data of one guest: find it, export it, erase it, and delete it after the retention time",
    imports: list(
      "changes contract domain/<family> domain/guest-data.ts domain/webhooks/deliveries jobs",
      "platform/database platform/installation.ts platform/limits.ts"
    )
  },
  {
    place: "tools/doctor",
    what: "diagnosis of an installation: pure rules, and the queries they need",
    imports: list(
      "jobs platform/database platform/sealing platform/telemetry service/backlog.ts",
      "service/configuration.ts service/settings.ts"
    )
  },
  {
    place: "tools/demo",
    what: "the demo operator",
    imports: list(
      "connectors/ingest connectors/sandbox contract domain/<family> domain/access/operators",
      "domain/channels/port jobs platform/database platform/limits.ts service/configuration.ts"
    )
  },
  {
    place: "transports/http-app.ts",
    what: "the HTTP router: all routes of the service",
    imports: list(
      "contract platform/database platform/installation.ts platform/limits.ts service/Api.ts",
      "service/service.ts transports/connectors transports/console transports/endpoints.ts",
      "transports/guest-portal transports/http transports/mcp transports/pages transports/property-feed",
      "transports/public-documents transports/rest transports/sandbox-pages transports/shared-calendar"
    )
  },
  {
    place: "transports/metrics",
    what: "the metrics endpoint",
    imports: list("platform/database platform/telemetry transports/http transports/http-server")
  },
  {
    place: "transports/http-server",
    what: "connections, requests that are no HTTP, and the shutdown",
    imports: list("contract platform/limits.ts service/service.ts transports/endpoints.ts transports/http")
  },
  {
    place: "transports/endpoints.ts",
    what: "which paths belong to which transport, for errors outside of a route",
    imports: list(
      "contract domain/<family> service/service.ts transports/connectors transports/console",
      "transports/guest-portal transports/http transports/mcp transports/oauth transports/pages",
      "transports/property-feed transports/public-documents transports/rest transports/sandbox-pages",
      "transports/shared-calendar"
    )
  },
  {
    place: "transports/connectors",
    what: "the endpoint to which HTTP connectors send channel events",
    imports: list("connectors/http contract platform/database platform/limits.ts platform/telemetry transports/http")
  },
  {
    place: "transports/public-documents",
    what: "the pages and documents that need no token: documentation, OpenAPI, OAuth discovery",
    imports: list(
      "contract domain/access/oauth platform/installation.ts transports/console transports/docs",
      "transports/http transports/mcp transports/oauth"
    )
  },
  {
    place: "transports/console",
    what: "the console: pages for hosts, sign-in, consent",
    imports: list(
      "admission/concurrency admission/gate admission/windows contract domain/<family> domain/access/oauth",
      "domain/access/operators domain/access/sign-in domain/channels/port domain/webhooks/deliveries",
      "jobs/events platform/limits.ts platform/random-text.ts service/Api.ts service/service.ts",
      "transports/console/queries transports/docs transports/http transports/pages"
    )
  },
  {
    place: "transports/guest-portal",
    what: "the page of a guest before arrival",
    imports: list(
      "admission/concurrency admission/windows contract domain/<family> platform/installation.ts",
      "platform/limits.ts transports/docs transports/http transports/pages"
    )
  },
  {
    place: "transports/sandbox-pages",
    what: "the pages of the sandbox marketplace",
    imports: list(
      "connectors/sandbox contract domain/<family> platform/database service/configuration.ts",
      "transports/docs transports/http transports/pages"
    )
  },
  {
    place: "transports/shared-calendar",
    what: "a shared calendar as page and feed",
    imports: list(
      "admission/concurrency admission/windows contract domain/<family> platform/installation.ts",
      "platform/limits.ts transports/docs transports/http transports/pages"
    )
  },
  {
    place: "transports/property-feed",
    what: "the calendar feed of a property",
    imports: list(
      "admission/concurrency admission/windows contract domain/<family> platform/installation.ts",
      "platform/limits.ts transports/http transports/pages"
    )
  },
  {
    place: "transports/mcp",
    what: "the MCP endpoint and its tools",
    imports: list(
      "admission/concurrency admission/gate contract platform/installation.ts platform/limits.ts",
      "service/configuration.ts service/service.ts transports/rest"
    )
  },
  {
    place: "transports/rest",
    what: "the REST routes",
    imports: list("contract platform/limits.ts service/Api.ts service/service.ts transports/http transports/oauth")
  },
  {
    place: "transports/pages",
    what: "what all HTML pages share: document, failure page, secret addresses",
    imports: list(
      "admission/concurrency admission/windows contract domain/<family> platform/database",
      "platform/limits.ts platform/telemetry service/configuration.ts transports/docs transports/http"
    )
  },
  {
    place: "transports/oauth",
    what: "the OAuth endpoints: forms, CORS, standard errors",
    imports: list("contract service/Api.ts transports/http")
  },
  {
    place: "transports/http",
    what: "what all HTTP transports share: body limit, caller address, paths",
    imports: list("contract")
  },
  {
    place: "transports/console/assembly.ts",
    what: "the layers of the console beside the Service, as the process, the tests and the bench use them",
    imports: list(
      "domain/<family> domain/access/operators domain/access/sign-in domain/webhooks/deliveries",
      "transports/console/queries"
    )
  },
  {
    place: "transports/console/queries",
    what: "read models of the console: one statement each",
    imports: list(
      "contract domain/<family> domain/column-schemas.ts platform/database platform/limits.ts platform/sealing"
    )
  },
  {
    place: "transports/docs",
    what: "generates OpenAPI, the documentation site and the typed client from the operations",
    imports: list("contract platform/installation.ts platform/limits.ts service/Api.ts")
  },
  {
    place: "service/service-assembly.ts",
    what: "the Service with its gate and all handlers, as the process, the tests and the bench use it",
    imports: list("admission/gate changes service/handlers.ts service/service.ts")
  },
  {
    place: "service/service.ts",
    what: "the entrypoint of all transports",
    imports: list(
      "admission/concurrency admission/gate admission/windows changes contract domain/operation-handlers.ts jobs",
      "platform/database platform/limits.ts platform/telemetry service/Api.ts"
    )
  },
  {
    place: "service/backlog.ts",
    what: "how much background work is due and not claimed, by kind: for metrics and the doctor",
    imports: list("domain/<family> domain/webhooks/deliveries jobs jobs/events platform/database platform/telemetry")
  },
  {
    place: "service/handlers.ts",
    what: "the layer of the handlers of all operations",
    imports: list("domain/<family> domain/access/oauth domain/operation-handlers.ts service/Api.ts")
  },
  { place: "service/Api.ts", what: "the list of all operations", imports: list("domain/<family> domain/access/oauth") },
  {
    place: "service/configuration.ts",
    what: "the settings of the process, read from the environment",
    imports: list(
      "domain/webhooks/deliveries platform/database platform/installation.ts platform/limits.ts",
      "platform/sealing platform/telemetry service/settings.ts"
    )
  },
  {
    place: "service/settings.ts",
    what: "the declaration of every setting: name, default, meaning",
    imports: list("platform/database platform/limits.ts platform/telemetry")
  },
  {
    place: "connectors/sandbox",
    what: "the sandbox marketplace, which runs in the process",
    imports: list(
      "connectors/ingest contract domain/<family> domain/channels/port domain/operator-rows.ts jobs",
      "platform/database platform/limits.ts"
    )
  },
  {
    place: "connectors/http",
    what: "channels that an external HTTP connector implements",
    imports: list(
      "admission/concurrency admission/windows connectors/ingest contract domain/<family>",
      "domain/channels/port domain/webhooks/deliveries jobs platform/database platform/limits.ts",
      "platform/random-text.ts platform/sealing"
    )
  },
  {
    place: "connectors/ingest",
    what: "applies channel events: orders, messages, reviews, money",
    imports: list(
      "contract domain/<family> domain/channels/port jobs platform/database platform/limits.ts",
      "platform/telemetry"
    )
  },
  {
    place: "domain/access/sign-in",
    what: "console sessions, passwords and sub-accounts",
    imports: list("admission/gate changes contract domain/access/operators jobs platform/database platform/limits.ts")
  },
  {
    place: FAMILY,
    what: "one family of operations: `contract.ts`, `handlers.ts`, `store.ts`, `rules.ts`, and the rules and SQL fragments that other families may use",
    imports: list(
      "changes contract domain/secret-urls.ts domain/channels/port domain/guest-data.ts domain/operation-handlers.ts",
      "domain/named-row.ts domain/operator-rows.ts domain/column-schemas.ts domain/webhooks/deliveries jobs",
      "jobs/events platform/database platform/installation.ts platform/limits.ts platform/random-text.ts",
      "platform/sealing platform/telemetry"
    )
  },
  {
    place: "domain/access/oauth",
    what: "the OAuth authorization server: clients, grants, codes, tokens and their renewal",
    imports: list(
      "admission/gate admission/windows changes contract domain/access/operators domain/operation-handlers.ts jobs",
      "platform/database platform/installation.ts platform/limits.ts platform/random-text.ts"
    )
  },
  {
    place: "domain/access/operators",
    what: "operators, accounts, access tokens and limits",
    imports: list(
      "admission/gate admission/windows changes contract jobs platform/database platform/installation.ts",
      "platform/limits.ts"
    )
  },
  {
    place: "domain/webhooks/deliveries",
    what: "webhook deliveries: queue, signature, address check, HTTP call",
    imports: list(
      "changes contract jobs jobs/events platform/database platform/installation.ts platform/limits.ts",
      "platform/sealing platform/telemetry"
    )
  },
  {
    place: "domain/channels/port",
    what: "the port to channels: requests to a channel, and events from it",
    imports: list("contract platform/database platform/limits.ts")
  },
  {
    place: "domain/operation-handlers.ts",
    what: "connects handlers of an operation's own types with the Service",
    imports: list("changes contract")
  },
  {
    place: "domain/operator-rows.ts",
    what: "statements that many families share: name, rename and delete a row of an operator",
    imports: list("changes contract domain/named-row.ts domain/column-schemas.ts platform/database")
  },
  {
    place: "domain/name-key-backfill.ts",
    what: "fills missing comparison keys of names",
    imports: list("contract jobs platform/database")
  },
  {
    place: "domain/named-row.ts",
    what: "finds a row by its name, ignoring case",
    imports: list("contract platform/database")
  },
  {
    place: "domain/column-schemas.ts",
    what: "converts database columns to values of the contract",
    imports: list("contract")
  },
  {
    place: "domain/secret-urls.ts",
    what: "finds the operator of a secret address by its token",
    imports: list("platform/database")
  },
  {
    place: "domain/guest-data.ts",
    what: "declares in which columns of a table the data of a guest is",
    imports: list("platform/database")
  },
  {
    place: "admission/gate",
    what: "authenticates the token and checks what its operator may call",
    imports: list(
      "admission/windows contract platform/database platform/installation.ts platform/limits.ts",
      "platform/telemetry"
    )
  },
  { place: "admission/windows", what: "rate-limit windows", imports: list("contract platform/telemetry") },
  {
    place: "admission/concurrency",
    what: "concurrency permits: how many calls run at once, and whose call is next",
    imports: list("contract platform/database platform/limits.ts platform/telemetry")
  },
  {
    place: "changes",
    what: "records a change: rows, event, audit entry and idempotency key in one statement",
    imports: list("contract jobs platform/database platform/limits.ts platform/telemetry")
  },
  {
    place: "jobs/events",
    what: "events of changes: their types, their order, and their consumers",
    imports: list("contract jobs platform/database platform/limits.ts platform/telemetry")
  },
  {
    place: "jobs",
    what: "background work: loop, poll, lease, retry, retention",
    imports: list("platform/database platform/telemetry")
  },
  {
    place: "contract",
    what: "the vocabulary of an operation: fields, errors, envelope, money, time",
    imports: list("platform/installation.ts platform/limits.ts platform/random-text.ts")
  },
  {
    place: "platform/sealing",
    what: "encrypts secrets in their columns, and rotates the keys",
    imports: list("platform/database platform/limits.ts")
  },
  {
    place: "platform/database",
    what: "the embedded database and PostgreSQL: connections, migrations, statements, rows",
    imports: list("platform/limits.ts platform/telemetry")
  },
  { place: "platform/telemetry", what: "log lines, traces and metrics, without secrets", imports: [] },
  {
    place: "platform/installation.ts",
    what: "facts of the installation that operations show, such as its public URL",
    imports: []
  },
  { place: "platform/random-text.ts", what: "random texts for tokens and codes", imports: [] },
  { place: "platform/limits.ts", what: "the numbers of the specification, and every limit of a caller", imports: [] }
]

/** All families by their folder in domain, and the families whose rules or SQL fragments each one uses. */
export const DOMAIN_FAMILIES: Readonly<Record<string, ReadonlyArray<string>>> = {
  automation: list(
    "bookings/check-in bookings/orders bookings/stays guests/conversations guests/reviews knowledge",
    "properties/properties"
  ),
  "bookings/check-in": list("bookings/orders bookings/stays guests/images"),
  "bookings/orders": list("bookings/stays"),
  "bookings/reservation-tags": [],
  "bookings/reservations": list(
    "bookings/check-in bookings/orders bookings/stays calendars/availability channels/custom-channels",
    "money properties/properties"
  ),
  "bookings/stays": list("bookings/reservation-tags guests/images"),
  "calendars/availability": list("properties/properties"),
  "calendars/calendar-share-links": list("calendars/availability properties/properties"),
  "calendars/imported-calendars": list(
    "calendars/availability calendars/calendar-share-links calendars/property-feeds"
  ),
  "calendars/listing-calendars": list("calendars/availability listings"),
  "calendars/property-feeds": list("calendars/calendar-share-links properties/properties"),
  "channels/channel-accounts": [],
  "channels/custom-channels": [],
  "guests/conversations": list("channels/channel-accounts guests/images"),
  "guests/images": [],
  "guests/reviews": list("bookings/orders bookings/stays channels/channel-accounts properties/properties"),
  "guests/special-offers": list("bookings/reservations calendars/availability guests/conversations listings"),
  knowledge: list("properties/properties"),
  listings: list("channels/channel-accounts properties/properties"),
  money: list("bookings/orders properties/properties"),
  prices: list("listings"),
  "properties/groups": list("properties/properties"),
  "properties/properties": [],
  "properties/tags": list("properties/properties"),
  "webhooks/event-feed": list("properties/properties"),
  "webhooks/subscriptions": [],
  "work/staffs": list("properties/properties"),
  "work/tasks": list("bookings/stays properties/properties work/staffs")
}

/** Who writes a table: a folder or file below src. */
export const TABLE_OWNERS: Readonly<Record<string, string>> = {
  access_tokens: "domain/access/operators",
  oauth_clients: "domain/access/oauth",
  oauth_redirects: "domain/access/oauth",
  oauth_grants: "domain/access/oauth",
  oauth_codes: "domain/access/oauth",
  oauth_refresh_tokens: "domain/access/oauth",
  console_sessions: "domain/access/sign-in",
  known_browsers: "domain/access/sign-in",
  sign_in_failures: "domain/access/sign-in",
  accounts: "domain/access/operators",
  operators: "domain/access/operators",
  properties: "domain/properties/properties",
  room_types: "domain/properties/properties",
  room_type_properties: "domain/properties/properties",
  property_groups: "domain/properties/groups",
  group_properties: "domain/properties/groups",
  property_tags: "domain/properties/tags",
  tag_properties: "domain/properties/tags",
  tag_room_types: "domain/properties/tags",
  reservation_tags: "domain/bookings/reservation-tags",
  channel_accounts: "domain/channels/channel-accounts",
  listings: "domain/listings",
  calendar_days: "domain/calendars/availability",
  calendar_share_links: "domain/calendars/calendar-share-links",
  calendar_share_link_properties: "domain/calendars/calendar-share-links",
  listing_pushes: "domain/calendars/listing-calendars",
  listing_lanes: "domain/calendars/listing-calendars",
  property_feeds: "domain/calendars/property-feeds",
  listing_comparisons: "domain/calendars/listing-calendars",
  imported_calendars: "domain/calendars/imported-calendars",
  imported_days: "domain/calendars/imported-calendars",
  orders: "domain/bookings/orders",
  stays: "domain/bookings/stays",
  removed_stays: "domain/bookings/stays",
  stay_tags: "domain/bookings/stays",
  guests: "domain/bookings/stays",
  identity_images: "domain/bookings/stays",
  transactions: "domain/money",
  transaction_shares: "domain/money",
  dictionary_entries: "domain/money",
  tasks: "domain/work/tasks",
  staffs: "domain/work/staffs",
  staff_properties: "domain/work/staffs",
  events: "jobs/events/event-statements.ts",
  idempotency_keys: "changes",
  trail: "changes",
  refusals: "changes",
  forgotten_events: "jobs/events/event-statements.ts",
  event_consumers: "jobs/events/consumer-statements.ts",
  conversations: "domain/guests/conversations",
  messages: "domain/guests/conversations",
  message_lanes: "domain/guests/conversations",
  images: "domain/guests/images",
  image_bytes: "domain/guests/images",
  image_shares: "domain/guests/images",
  special_offers: "domain/guests/special-offers",
  reviews: "domain/guests/reviews",
  knowledge_bases: "domain/knowledge",
  knowledge_fragments: "domain/knowledge",
  automation_rules: "domain/automation",
  automation_stays: "domain/automation",
  automation_plans: "domain/automation",
  answer_lanes: "domain/automation",
  sandbox_threads: "connectors/sandbox",
  sandbox_messages: "connectors/sandbox",
  sandbox_offers: "connectors/sandbox",
  sandbox_reviews: "connectors/sandbox",
  connectors: "connectors/http",
  connector_messages: "connectors/http",
  sandbox_accounts: "connectors/sandbox",
  sandbox_listings: "connectors/sandbox",
  sandbox_days: "connectors/sandbox",
  sandbox_orders: "connectors/sandbox",
  sandbox_payments: "connectors/sandbox",
  sandbox_words: "connectors/sandbox",
  sandbox_asked: "connectors/sandbox",
  webhook_subscriptions: "domain/webhooks/deliveries/subscriptions.ts",
  webhook_receivers: "domain/webhooks/deliveries/subscriptions.ts",
  webhook_deliveries: "domain/webhooks/deliveries",
  webhook_attempts: "domain/webhooks/deliveries",
  channel_payments: "domain/money"
}

/** Statements that change another's table, `file writes table`: the demo puts down what no operation can make. */
export const FOREIGN_WRITES: ReadonlyArray<string> = [
  "tools/demo/seed.ts writes properties",
  "tools/demo/write-dictionary.ts writes dictionary_entries",
  "tools/demo/write-transactions.ts writes transaction_shares",
  "tools/demo/write-transactions.ts writes transactions",
  "tools/demo/write-portfolio.ts writes properties"
]

/** What the compiler is told because it cannot see it. */
export const ALLOWED_CASTS: ReadonlyArray<{ readonly file: string; readonly cast: string; readonly why: string }> = [
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

export const SRC_FOLDER = join(import.meta.dirname, "../../src")

export const SOURCE_FILES: ReadonlyArray<string> = readdirSync(SRC_FOLDER, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .toSorted()

export const readSource = (file: string): string => readFileSync(join(SRC_FOLDER, file), "utf8")

/** What of src a file imports, as paths below src. */
export const listImports = (file: string): ReadonlyArray<string> =>
  Array.from(readSource(file).matchAll(/(?:from|import\()\s*"(\.[^"]+)"|^import "(\.[^"]+)"/gm), ([, from, bare]) =>
    relative(SRC_FOLDER, join(dirname(join(SRC_FOLDER, file)), from ?? bare ?? ""))
  ).filter((path) => !path.startsWith(".."))

/** Longer names first: the files of `jobs/events` are in no other place. */
const PLACE_NAMES: ReadonlyArray<string> = [
  ...MODULES.map(({ place }) => place),
  ...Object.keys(DOMAIN_FAMILIES).map((family) => `domain/${family}`)
].toSorted((a, b) => b.length - a.length)

/** Returns the place of a file: the longest name of a place or family that its path begins with. Without one, the file itself. */
export const findModule = (file: string): string =>
  PLACE_NAMES.find((place) => file === place || file.startsWith(`${place}/`)) ?? file

/** Returns the name of a place in the table, where all families share one row. */
export const moduleRowOf = (place: string): string => (isFamily(place) ? FAMILY : place)

export const isFamily = (place: string): boolean => Object.hasOwn(DOMAIN_FAMILIES, place.replace("domain/", ""))

const CHANGES = /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:ONLY\s+)?([a-z_]+)\b/g

/** Words that follow UPDATE and name no table: `FOR UPDATE OF`, `DO UPDATE SET`. */
const NO_TABLE = new Set(["of", "set", "skip", "nowait"])

/** The rows of a list that is replaced as a whole (platform/database/versioned-list.ts): whoever declares it writes them. */
const REPLACES = /\brows: "([a-z_]+)"/g

/** The tables a file's statements change. */
export const listWrittenTables = (file: string): ReadonlyArray<string> => {
  const text = withoutComments(readSource(file))
  return [...text.matchAll(CHANGES), ...text.matchAll(REPLACES)]
    .map(([, table = ""]) => table)
    .filter((table) => !NO_TABLE.has(table))
}

/** Whether a file changes a table that a parameter names. */
export const hasParameterizedWrite = (file: string): boolean =>
  /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:ONLY\s+)?\$\{/.test(withoutComments(readSource(file)))

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

/** What a file says `as` to the compiler, `as const` aside. Texts and statements are no code. */
export const listCasts = (file: string): ReadonlyArray<string> =>
  Array.from(
    withoutComments(readSource(file))
      .replace(/`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g, '""')
      .replace(/^(?:import|export) [\s\S]*?from ""$/gm, "")
      .matchAll(/\bas (?!const\b)(?:unknown as )?([A-Za-z][\w.]*)/g),
    ([cast]) => cast
  )

const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("")

const code = (names: Iterable<string>): string => Array.from(names, (name) => `\`${name}\``).join(", ")

/** The tables of the page, by the names of their places in it. */
export const renderModuleTables = (): Readonly<Record<string, string>> => ({
  places: table(
    ["place in `src`", "what it is", "imports"],
    MODULES.map(({ place, what, imports }) => [`\`${place}\``, what, imports.length === 0 ? "nothing" : code(imports)])
  ),
  families: table(
    ["family", "uses rules and fragments of"],
    Object.entries(DOMAIN_FAMILIES).map(([family, used]) => [`\`${family}\``, code(used)])
  ),
  tables: table(
    ["owner", "tables"],
    Array.from(new Set(Object.values(TABLE_OWNERS)), (owner) => [
      `\`${owner}\``,
      code(Object.keys(TABLE_OWNERS).filter((each) => TABLE_OWNERS[each] === owner))
    ])
  ),
  casts: table(
    ["file", "cast", "why"],
    ALLOWED_CASTS.map(({ file, cast, why }) => [`\`${file}\``, `\`${cast}\``, why])
  )
})
