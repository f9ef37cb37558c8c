import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

// The module map: the places of src, what each place imports, who writes each database table, and the permitted casts.
// test/architecture.test.ts compares it with the code: an import must be listed here, and every listed import must exist.

export interface ModuleMapRow {
  /** A folder or a file below src, without its ending slash. */
  readonly path: string
  readonly purpose: string
  readonly imports: ReadonlyArray<string>
}

const FAMILY_PATH = "domain/<family>"

/** Names in texts of several lines, separated by spaces. */
const splitNames = (...lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.flatMap((line) => line.split(" "))

export const MODULES: ReadonlyArray<ModuleMapRow> = [
  { path: "cli.ts", purpose: "the entry of the command line: lists the commands", imports: splitNames("tools/cli") },
  {
    path: "tools/cli",
    purpose: "the commands that an administrator runs",
    imports: splitNames(
      "admission/concurrency admission/windows changes connectors/http connectors/ingest connectors/sandbox",
      "contract domain/<family> domain/access/oauth domain/access/operators domain/access/sign-in",
      "domain/channels/port domain/webhooks/deliveries jobs jobs/events main.ts platform/database",
      "platform/installation.ts platform/limits.ts platform/sealing platform/telemetry service/Api.ts",
      "service/configuration.ts service/service-assembly.ts service/service.ts service/settings.ts tools/backup tools/demo tools/doctor tools/privacy",
      "tools/test-server tools/workers transports/docs"
    )
  },
  {
    path: "tools/workers",
    purpose: "several worker processes on one port: the primary process, and its messages with the workers",
    imports: splitNames(
      "admission/windows platform/database platform/sealing platform/telemetry service/configuration.ts",
      "transports/metrics"
    )
  },
  {
    path: "layers.ts",
    purpose: "an entry of the published package: the layers that a test of another project replaces",
    imports: splitNames(
      "admission/concurrency admission/gate admission/windows changes contract domain/<family> domain/access/oauth",
      "domain/access/operators domain/access/sign-in domain/channels/port domain/webhooks/deliveries jobs jobs/events",
      "service/Api.ts service/memory-stores.ts service/service-assembly.ts service/service.ts service/stores.ts"
    )
  },
  {
    path: "main.ts",
    purpose: "the process: settings select the layers",
    imports: splitNames(
      "admission/concurrency admission/windows domain/<family> jobs jobs/events platform/database",
      "platform/limits.ts platform/sealing platform/telemetry process service/configuration.ts tools/demo tools/test-server",
      "transports/http-app.ts transports/http-server transports/metrics"
    )
  },
  {
    path: "process",
    purpose: "the layers of a process: the Service and its pages, channels, background work, facts of the installation",
    imports: splitNames(
      "admission/windows changes connectors/http connectors/ingest connectors/sandbox contract domain/<family>",
      "domain/access/oauth domain/access/operators domain/access/sign-in domain/channels/port",
      "domain/name-key-backfill.ts domain/webhooks/deliveries jobs jobs/events platform/database",
      "platform/installation.ts platform/mail platform/sealing platform/telemetry service/backlog.ts service/configuration.ts",
      "service/job-kinds.ts service/service-assembly.ts tools/demo tools/privacy transports/connectors",
      "transports/console transports/console/queries transports/public-documents transports/sandbox-pages",
      "platform/MovableClock.ts tools/test-server transports/test-endpoint"
    )
  },
  {
    path: "tools/backup",
    purpose: "backup and restore of an installation, and the move from the embedded database to a server",
    imports: splitNames("domain/<family> platform/database")
  },
  {
    path: "tools/privacy",
    purpose: "the data of one guest: find it, export it, erase it, and delete it after the retention time",
    imports: splitNames(
      "changes contract domain/<family> domain/guest-data.ts domain/webhooks/deliveries jobs",
      "platform/database platform/installation.ts platform/limits.ts"
    )
  },
  {
    path: "tools/doctor",
    purpose: "diagnosis of an installation: pure rules, and the queries they need",
    imports: splitNames(
      "jobs platform/database platform/mail platform/sealing platform/telemetry service/backlog.ts",
      "service/configuration.ts service/settings.ts"
    )
  },
  {
    path: "tools/test-server",
    purpose: "the data of a test server: seeds, operators, the state that a reset goes back to",
    imports: splitNames(
      "connectors/sandbox contract domain/<family> domain/access/operators jobs platform/database",
      "platform/limits.ts platform/MovableClock.ts service/configuration.ts tools/demo"
    )
  },
  {
    path: "tools/demo",
    purpose: "the demo operator",
    imports: splitNames(
      "connectors/ingest connectors/sandbox contract domain/<family> domain/access/operators",
      "domain/channels/port jobs platform/database platform/limits.ts service/configuration.ts"
    )
  },
  {
    path: "testing.ts",
    purpose: "an entry of the published package: a server for the tests of another project",
    imports: splitNames("testing")
  },
  {
    path: "testing",
    purpose: "the process of a test server, and the calls of its routes",
    imports: []
  },
  {
    path: "transports/http-app.ts",
    purpose: "the HTTP router: all routes of the service",
    imports: splitNames(
      "contract service/Api.ts service/service.ts transports/endpoints.ts transports/http",
      "transports/mcp transports/page-app.ts transports/rest"
    )
  },
  {
    path: "transports/page-app.ts",
    purpose: "the router of everything but REST and MCP",
    imports: splitNames(
      "contract platform/database platform/installation.ts platform/limits.ts",
      "service/service.ts transports/connectors transports/console transports/endpoints.ts",
      "transports/guest-portal transports/http transports/pages transports/property-feed",
      "transports/public-documents transports/sandbox-pages transports/shared-calendar",
      "transports/test-endpoint"
    )
  },
  {
    path: "transports/metrics",
    purpose: "the metrics endpoint",
    imports: splitNames("platform/database platform/telemetry transports/http transports/http-server")
  },
  {
    path: "transports/http-server",
    purpose: "the HTTP server on Node: connections, requests and responses, and the shutdown",
    imports: splitNames("contract platform/limits.ts service/service.ts transports/http")
  },
  {
    path: "transports/endpoints.ts",
    purpose: "which paths belong to which transport, for errors outside of a route",
    imports: splitNames(
      "contract domain/<family> service/service.ts transports/connectors transports/console",
      "transports/guest-portal transports/http transports/mcp transports/oauth transports/pages",
      "transports/property-feed transports/public-documents transports/rest transports/sandbox-pages",
      "transports/shared-calendar transports/test-endpoint"
    )
  },
  {
    path: "transports/test-endpoint",
    purpose: "the routes of a test server",
    imports: splitNames("contract platform/database platform/limits.ts transports/http")
  },
  {
    path: "transports/connectors",
    purpose: "the endpoint to which HTTP connectors send channel events",
    imports: splitNames(
      "connectors/http contract platform/database platform/limits.ts platform/telemetry transports/http"
    )
  },
  {
    path: "transports/public-documents",
    purpose: "the pages and documents that need no token: documentation, OpenAPI, OAuth discovery",
    imports: splitNames(
      "contract domain/access/oauth platform/installation.ts transports/console transports/docs",
      "transports/http transports/mcp transports/oauth"
    )
  },
  {
    path: "transports/console",
    purpose: "the console: pages for hosts, sign-in, consent",
    imports: splitNames(
      "admission/concurrency admission/gate admission/windows contract domain/<family> domain/access/oauth",
      "domain/access/operators domain/access/sign-in domain/channels/port domain/webhooks/deliveries",
      "jobs/events platform/limits.ts platform/mail platform/random-text.ts service/Api.ts service/service.ts",
      "transports/console/queries transports/docs transports/http transports/pages"
    )
  },
  {
    path: "transports/guest-portal",
    purpose: "the page of a guest before arrival",
    imports: splitNames(
      "admission/concurrency admission/windows contract domain/<family> platform/installation.ts",
      "platform/limits.ts transports/docs transports/http transports/pages"
    )
  },
  {
    path: "transports/sandbox-pages",
    purpose: "the pages of the sandbox marketplace",
    imports: splitNames(
      "connectors/sandbox contract domain/<family> platform/database service/configuration.ts",
      "transports/docs transports/http transports/pages"
    )
  },
  {
    path: "transports/shared-calendar",
    purpose: "a shared calendar as page and feed",
    imports: splitNames(
      "admission/concurrency admission/windows contract domain/<family> platform/installation.ts",
      "platform/limits.ts transports/docs transports/http transports/pages"
    )
  },
  {
    path: "transports/property-feed",
    purpose: "the calendar feed of a property",
    imports: splitNames(
      "admission/concurrency admission/windows contract domain/<family> platform/installation.ts",
      "platform/limits.ts transports/http transports/pages"
    )
  },
  {
    path: "transports/mcp",
    purpose: "the MCP endpoint and its tools",
    imports: splitNames(
      "admission/concurrency admission/gate contract platform/installation.ts platform/limits.ts",
      "service/configuration.ts service/service.ts transports/http"
    )
  },
  {
    path: "transports/rest",
    purpose: "the REST routes",
    imports: splitNames(
      "contract platform/limits.ts service/Api.ts service/service.ts transports/http transports/oauth"
    )
  },
  {
    path: "transports/pages",
    purpose: "what all HTML pages share: document, failure page, secret addresses",
    imports: splitNames(
      "admission/concurrency admission/windows contract domain/<family> platform/database",
      "platform/limits.ts platform/telemetry service/configuration.ts transports/docs transports/http"
    )
  },
  {
    path: "transports/oauth",
    purpose: "the OAuth endpoints: forms, CORS, standard errors",
    imports: splitNames("contract service/Api.ts transports/http")
  },
  {
    path: "transports/http",
    purpose: "what all HTTP transports share: body limit, caller address, paths",
    imports: splitNames("contract")
  },
  {
    path: "transports/console/queries",
    purpose: "read models of the console: one statement each",
    imports: splitNames(
      "contract domain/<family> domain/access/oauth domain/access/operators domain/column-schemas.ts",
      "domain/webhooks/deliveries platform/database platform/limits.ts platform/sealing"
    )
  },
  {
    path: "transports/docs",
    purpose: "generates OpenAPI and the documentation site from the operations",
    imports: splitNames("contract jobs/events platform/installation.ts platform/limits.ts service/Api.ts")
  },
  {
    path: "service/service-assembly.ts",
    purpose: "the Service with its gate and all handlers, as the process, the tests and the bench use it",
    imports: splitNames("admission/gate changes service/handlers.ts service/service.ts")
  },
  {
    path: "service/service.ts",
    purpose: "the entrypoint of all transports",
    imports: splitNames(
      "admission/concurrency admission/gate admission/windows changes contract domain/operation-handlers.ts jobs",
      "platform/database platform/limits.ts platform/telemetry service/Api.ts"
    )
  },
  {
    path: "service/backlog.ts",
    purpose: "how much background work is due and not claimed, by kind: for metrics and the doctor",
    imports: splitNames("jobs platform/database platform/telemetry service/job-kinds.ts")
  },
  {
    path: "service/job-kinds.ts",
    purpose: "the registry of all kinds of jobs",
    imports: splitNames("changes domain/<family> domain/access/sign-in domain/webhooks/deliveries platform/database")
  },
  {
    path: "service/memory-stores.ts",
    purpose: "the stores that are kept in memory, for tests without a database",
    imports: splitNames("admission/gate changes domain/<family> domain/access/operators")
  },
  {
    path: "service/handlers.ts",
    purpose: "the layer of the handlers of all operations",
    imports: splitNames(
      "domain/<family> domain/access/oauth domain/access/operators domain/access/sign-in",
      "domain/operation-handlers.ts service/Api.ts service/stores.ts"
    )
  },
  {
    path: "service/stores.ts",
    purpose: "the stores of the families over SQL, and the domain services on them",
    imports: splitNames(
      "domain/<family> domain/access/oauth domain/access/operators domain/access/sign-in domain/webhooks/deliveries"
    )
  },
  {
    path: "service/Api.ts",
    purpose: "the list of all operations",
    imports: splitNames("contract domain/<family> domain/access/oauth domain/access/operators domain/access/sign-in")
  },
  {
    path: "service/configuration.ts",
    purpose: "the settings of the process, read from the environment",
    imports: splitNames(
      "domain/webhooks/deliveries platform/database platform/installation.ts platform/limits.ts platform/mail",
      "platform/sealing platform/telemetry service/settings.ts"
    )
  },
  {
    path: "service/settings.ts",
    purpose: "the declaration of every setting: name, default, meaning",
    imports: splitNames("platform/database platform/limits.ts platform/telemetry")
  },
  {
    path: "connectors/sandbox",
    purpose: "the sandbox marketplace, which runs in the process",
    imports: splitNames(
      "connectors/ingest contract domain/<family> domain/channels/port domain/operator-rows.ts jobs",
      "platform/database platform/limits.ts"
    )
  },
  {
    path: "connectors/http",
    purpose: "channels that an external HTTP connector implements",
    imports: splitNames(
      "admission/concurrency admission/windows connectors/ingest contract domain/<family>",
      "domain/channels/port domain/webhooks/deliveries jobs platform/database platform/limits.ts",
      "platform/random-text.ts platform/sealing"
    )
  },
  {
    path: "connectors/ingest",
    purpose: "applies channel events: orders, messages, reviews, money",
    imports: splitNames(
      "contract domain/<family> domain/channels/port jobs platform/database platform/limits.ts",
      "platform/telemetry"
    )
  },
  {
    path: FAMILY_PATH,
    purpose:
      "one family of operations: `contract.ts`, `handlers.ts`, `store.ts`, `rules.ts`, and the rules and SQL fragments that other families may use",
    imports: splitNames(
      "admission/concurrency admission/gate changes contract domain/access/sign-in domain/secret-urls.ts domain/channels/port domain/connection-grants.ts domain/guest-data.ts",
      "domain/operation-handlers.ts domain/named-row.ts domain/operator-rows.ts domain/column-schemas.ts",
      "domain/webhooks/deliveries jobs",
      "jobs/events platform/database platform/installation.ts platform/limits.ts platform/mail platform/random-text.ts",
      "platform/sealing platform/telemetry"
    )
  },
  {
    path: "domain/access/sign-in",
    purpose: "console sessions, passwords and sub-accounts",
    imports: splitNames(
      "admission/gate changes contract domain/access/operators domain/operation-handlers.ts jobs platform/database",
      "platform/installation.ts platform/limits.ts platform/mail platform/telemetry"
    )
  },
  {
    path: "domain/access/oauth",
    purpose: "the OAuth authorization server: clients, grants, codes, tokens and their renewal",
    imports: splitNames(
      "admission/gate admission/windows changes contract domain/access/operators domain/operation-handlers.ts jobs",
      "platform/database platform/installation.ts platform/limits.ts platform/random-text.ts"
    )
  },
  {
    path: "domain/access/operators",
    purpose: "operators, accounts, access tokens and limits",
    imports: splitNames(
      "admission/gate admission/windows changes contract domain/column-schemas.ts domain/operation-handlers.ts",
      "domain/operator-rows.ts jobs platform/database platform/installation.ts platform/limits.ts"
    )
  },
  {
    path: "domain/webhooks/deliveries",
    purpose: "webhook deliveries: queue, signature, address check, HTTP call",
    imports: splitNames(
      "admission/concurrency admission/windows changes contract domain/connection-grants.ts jobs jobs/events",
      "platform/database platform/installation.ts platform/limits.ts platform/sealing platform/telemetry"
    )
  },
  {
    path: "domain/channels/port",
    purpose: "the port to channels: requests to a channel, and events from it",
    imports: splitNames("contract platform/database platform/limits.ts")
  },
  {
    path: "domain/operation-handlers.ts",
    purpose: "connects handlers of an operation's own types with the Service",
    imports: splitNames("changes contract")
  },
  {
    path: "domain/operator-rows.ts",
    purpose: "statements that many families share: name, rename and delete a row of an operator",
    imports: splitNames("changes contract domain/named-row.ts domain/column-schemas.ts platform/database")
  },
  {
    path: "domain/connection-grants.ts",
    purpose: "locks the grant of an OAuth connection while a call by it makes something that ends with it",
    imports: splitNames("contract")
  },
  {
    path: "domain/name-key-backfill.ts",
    purpose: "fills missing comparison keys of names",
    imports: splitNames("contract jobs platform/database")
  },
  {
    path: "domain/named-row.ts",
    purpose: "finds a row by its name, ignoring case",
    imports: splitNames("contract")
  },
  {
    path: "domain/column-schemas.ts",
    purpose: "converts database columns to values of the contract",
    imports: splitNames("contract")
  },
  {
    path: "domain/secret-urls.ts",
    purpose: "finds the operator of a secret address by its token",
    imports: splitNames("platform/database")
  },
  {
    path: "domain/guest-data.ts",
    purpose: "declares in which columns of a table the data of a guest is",
    imports: splitNames("platform/database")
  },
  {
    path: "admission/gate",
    purpose: "authenticates the token and checks what its operator may call",
    imports: splitNames(
      "admission/windows changes contract platform/database platform/installation.ts platform/limits.ts",
      "platform/telemetry"
    )
  },
  {
    path: "admission/windows",
    purpose: "rate-limit windows",
    imports: splitNames("contract platform/database platform/telemetry")
  },
  {
    path: "admission/concurrency",
    purpose: "concurrency permits: how many calls run at once, and whose call is next",
    imports: splitNames("contract platform/database platform/limits.ts platform/telemetry")
  },
  {
    path: "changes",
    purpose: "records a change: rows, event, audit entry and idempotency key in one statement",
    imports: splitNames("contract jobs jobs/events platform/database platform/limits.ts platform/telemetry")
  },
  {
    path: "jobs/events",
    purpose: "events of changes: their types, their order, and their consumers",
    imports: splitNames("contract jobs platform/database platform/limits.ts platform/telemetry")
  },
  {
    path: "jobs",
    purpose: "background work: loop, poll, lease, retry, retention, and the order of all work in a test server",
    imports: splitNames("platform/MovableClock.ts platform/database platform/telemetry")
  },
  {
    path: "contract",
    purpose: "the vocabulary of an operation: fields, errors, envelope, money, time",
    imports: splitNames("platform/installation.ts platform/limits.ts platform/random-text.ts")
  },
  {
    path: "platform/sealing",
    purpose: "encrypts secrets in their columns, and rotates the keys",
    imports: splitNames("platform/database platform/limits.ts")
  },
  {
    path: "platform/database",
    purpose: "the embedded database and PostgreSQL: connections, migrations, statements, rows",
    imports: splitNames("platform/limits.ts platform/telemetry")
  },
  {
    path: "platform/mail",
    purpose: "the port to a mail server: sends a mail, and tells whether it may be sent again",
    imports: splitNames("platform/limits.ts")
  },
  {
    path: "platform/MovableClock.ts",
    purpose: "the clock of a test server, which can be moved forward",
    imports: []
  },
  { path: "platform/telemetry", purpose: "log lines, traces and metrics, without secrets", imports: [] },
  {
    path: "platform/installation.ts",
    purpose: "facts of the installation that operations show, such as its public URL",
    imports: []
  },
  { path: "platform/random-text.ts", purpose: "random texts for tokens and codes", imports: [] },
  { path: "platform/limits.ts", purpose: "the numbers of the specification, and every limit of a caller", imports: [] }
]

/** All families by their folder in domain, and the families whose rules or SQL fragments each one uses. */
export const DOMAIN_FAMILIES: Readonly<Record<string, ReadonlyArray<string>>> = {
  "audit-log": [],
  automation: splitNames(
    "bookings/check-in bookings/orders bookings/stays guests/conversations guests/reviews knowledge",
    "properties/properties work/staffs work/tasks"
  ),
  "bookings/check-in": splitNames("bookings/orders bookings/stays guests/images"),
  "bookings/orders": splitNames("bookings/stays"),
  "bookings/quotes": splitNames(
    "calendars/availability calendars/base-prices calendars/listing-calendars listings properties/properties"
  ),
  "bookings/reservation-tags": [],
  "bookings/reservations": splitNames(
    "bookings/check-in bookings/orders bookings/quotes bookings/stays calendars/availability",
    "channels/custom-channels money properties/properties"
  ),
  "bookings/stays": splitNames("bookings/reservation-tags guests/images"),
  "calendars/availability": splitNames("properties/properties"),
  "calendars/base-prices": splitNames(
    "calendars/availability calendars/listing-calendars channels/channel-accounts listings properties/properties"
  ),
  "calendars/calendar-share-links": splitNames("calendars/availability properties/properties"),
  "calendars/calendar-stays": splitNames("bookings/orders bookings/reservations bookings/stays"),
  "calendars/imported-calendars": splitNames(
    "calendars/availability calendars/calendar-share-links calendars/calendar-stays calendars/property-feeds",
    "properties/properties"
  ),
  "calendars/listing-calendars": splitNames("calendars/availability listings"),
  "calendars/property-feeds": splitNames(
    "bookings/check-in calendars/calendar-share-links calendars/calendar-stays properties/properties"
  ),
  "channels/channel-accounts": [],
  "channels/custom-channels": [],
  "guests/conversations": splitNames("channels/channel-accounts guests/images"),
  "guests/images": [],
  "guests/reviews": splitNames("bookings/orders bookings/stays channels/channel-accounts properties/properties"),
  "guests/special-offers": splitNames("bookings/reservations calendars/availability guests/conversations listings"),
  knowledge: splitNames("properties/properties"),
  notifications: splitNames("calendars/imported-calendars"),
  listings: splitNames("channels/channel-accounts properties/properties"),
  money: splitNames("bookings/orders properties/properties"),
  prices: splitNames("listings"),
  "properties/groups": splitNames("properties/properties"),
  "properties/properties": [],
  "properties/property-edits": splitNames(
    "automation calendars/availability calendars/base-prices listings properties/properties"
  ),
  "properties/tags": splitNames("properties/properties"),
  "webhooks/event-feed": splitNames("properties/properties"),
  "webhooks/delivery-log": [],
  "webhooks/subscriptions": [],
  "work/staffs": splitNames("properties/properties"),
  "work/tasks": splitNames("bookings/stays properties/properties work/staffs")
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
  mailed_links: "domain/access/sign-in/mailed-links",
  mail_counts: "domain/access/sign-in/mailed-links",
  notification_recipients: "domain/notifications",
  notifications: "domain/notifications",
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
  base_prices: "domain/calendars/base-prices",
  listing_pushes: "domain/calendars/listing-calendars",
  listing_lanes: "domain/calendars/listing-calendars",
  property_feeds: "domain/calendars/property-feeds",
  listing_comparisons: "domain/calendars/listing-calendars",
  imported_calendars: "domain/calendars/imported-calendars",
  imported_days: "domain/calendars/imported-calendars",
  calendar_stays: "domain/calendars/calendar-stays",
  orders: "domain/bookings/orders",
  quotes: "domain/bookings/quotes",
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
  webhook_subscriptions: "domain/webhooks/deliveries/subscription-statements.ts",
  webhook_receivers: "domain/webhooks/deliveries/subscription-statements.ts",
  webhook_deliveries: "domain/webhooks/deliveries",
  webhook_attempts: "domain/webhooks/deliveries",
  channel_payments: "domain/money"
}

/** Statements that change another's table, `file writes table`: the demo puts down what no operation can make. */
export const FOREIGN_WRITES: ReadonlyArray<string> = [
  "tools/demo/write-properties.ts writes properties",
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
const MODULE_PATHS: ReadonlyArray<string> = [
  ...MODULES.map(({ path }) => path),
  ...Object.keys(DOMAIN_FAMILIES).map((family) => `domain/${family}`)
].toSorted((a, b) => b.length - a.length)

/** Returns the place of a file: the longest name of a place or family that its path begins with. Without one, the file itself. */
export const findModule = (file: string): string =>
  MODULE_PATHS.find((path) => file === path || file.startsWith(`${path}/`)) ?? file

/** Returns the name of a place in the table, where all families share one row. */
export const toMapPath = (path: string): string => (isFamily(path) ? FAMILY_PATH : path)

export const isFamily = (path: string): boolean => Object.hasOwn(DOMAIN_FAMILIES, path.replace("domain/", ""))

const WRITE_STATEMENT = /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:ONLY\s+)?([a-z_]+)\b/g

/** Words that follow UPDATE and name no table: `FOR UPDATE OF`, `DO UPDATE SET`. */
const NON_TABLE_WORDS = new Set(["of", "set", "skip", "nowait"])

/** The rows of a list that is replaced as a whole (platform/database/versioned-list.ts): whoever declares it writes them. */
const REPLACED_ROWS = /\brows: "([a-z_]+)"/g

/** The tables a file's statements change. */
export const listWrittenTables = (file: string): ReadonlyArray<string> => {
  const text = stripComments(readSource(file))
  return [...text.matchAll(WRITE_STATEMENT), ...text.matchAll(REPLACED_ROWS)]
    .map(([, table = ""]) => table)
    .filter((table) => !NON_TABLE_WORDS.has(table))
}

/** Whether a file changes a table that a parameter names. */
export const hasParameterizedWrite = (file: string): boolean =>
  /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:ONLY\s+)?\$\{/.test(stripComments(readSource(file)))

const stripComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

/** What a file says `as` to the compiler, `as const` aside. Texts and statements are no code. */
export const listCasts = (file: string): ReadonlyArray<string> =>
  Array.from(
    stripComments(readSource(file))
      .replace(/`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g, '""')
      .replace(/^(?:import|export) [\s\S]*?from ""$/gm, "")
      .matchAll(/\bas (?!const\b)(?:unknown as )?([A-Za-z][\w.]*)/g),
    ([cast]) => cast
  )
