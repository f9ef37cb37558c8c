interface Release {
  readonly version: string
  readonly date: string | undefined
  readonly change: string
}

/** Newest first. */
export const RELEASES = [
  { version: "3.13.0", date: "2026-09-11", change: "GET /reservations adds channel_details." },
  {
    version: "3.12.1",
    date: "2026-09-10",
    change: "POST /listings/prices fixed for one regional channel (price now sent; treated as guest-paid sale price)."
  },
  {
    version: "3.12.0",
    date: "2026-08-24",
    change:
      "reservation_code added to GET and POST /transactions; stay_code deprecated; order-level ownership of entries documented."
  },
  {
    version: "3.11.0",
    date: "2026-08-14",
    change:
      "POST /reservations channel_id idempotency; status in response; GET /transactions item_name dictionary precedence fix."
  },
  {
    version: "3.10.0",
    date: "2026-07-31",
    change: "Events transaction_created, transaction_updated, transaction_deleted."
  },
  { version: "3.9.1", date: "2026-07-17", change: "Non-idempotency of message sending documented." },
  { version: "3.9.0", date: "2026-06-25", change: "payment object on GET /reservations." },
  { version: "3.8.0", date: "2026-06-17", change: "high_rated_guest_discount and mobile_only_discount fields." },
  {
    version: "3.7.0",
    date: "2026-06-12",
    change: "Special offers, pre-approvals, GET price_and_rules endpoints."
  },
  {
    version: "3.6.0",
    date: "2026-06-01",
    change: "category_ratings on reviews; POST price_and_rules endpoints."
  },
  {
    version: "3.5.0",
    date: "2026-05-25",
    change:
      "Conversation note, groups and tags writes, reservation tags, calendar share links; checkin_guide_images; rates.tax."
  },
  {
    version: "3.4.1",
    date: "2026-05-21",
    change:
      "Breaking: GET /knowledge_bases property_ids becomes comma-separated; scope_property.scope_ids renamed ids. Automation and knowledge base fixes."
  },
  {
    version: "3.4.0",
    date: "2026-05-20",
    change:
      "Knowledge base, channel accounts, listings, id_images, sender_name, sources, id_required, order_by created_at, task stay_code, POST /properties, POST /room_types, GET /pricing_ratios."
  },
  { version: "3.3.1", date: "2026-05-11", change: "Transaction date handling in merchant time zone." },
  { version: "3.3.0", date: "2026-05-08", change: "channel_id filter on GET /reservations." },
  {
    version: "3.2.0",
    date: "2026-04-29",
    change:
      "Transactions, dictionaries, task and staff writes; path parameter of PATCH /reservations renamed stay_code."
  },
  { version: "3.1.2", date: "2026-04-28", change: "GET /tasks, GET /staffs." },
  { version: "3.1.1", date: "2026-03-10", change: "GET /tags and tag filters." },
  { version: "3.1.0", date: "2026-01-21", change: "GET /groups." },
  {
    version: "3.0.0",
    date: undefined,
    change:
      "First release: property, room type, reservations, availabilities, listing calendar, messaging, reviews, automation, webhooks."
  }
] as const satisfies ReadonlyArray<Release>

export type ReleaseVersion = (typeof RELEASES)[number]["version"]

export const CURRENT_VERSION: ReleaseVersion = RELEASES[0].version
