// The tables and columns that the erasing of a guest leaves unchanged, each with the reason. Tables with guest data are in
// src/tools/privacy/guest-data-tables.ts. A test checks all tables and columns, so a new one needs a line here or must be erased.

const withReason = (reason: string, ...names: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(names.flatMap((each) => each.split(" ")).map((name) => [name, reason]))

/** Why a table is not in the list: nothing of a guest is ever written there, or it goes with what is. */
export const TABLES_WITHOUT_GUESTS: Readonly<Record<string, string>> = {
  ...withReason(
    "who works with the service",
    "access_tokens accounts addresses console_sessions known_browsers oauth_clients oauth_codes oauth_grants oauth_redirects",
    "oauth_refresh_tokens operators sign_in_failures refusals mailed_links mail_counts notification_recipients"
  ),
  ...withReason(
    "what the host has and says himself",
    "base_prices quotes calendar_share_links calendar_share_link_properties default_reservation_tags dictionary_entries",
    "group_properties calendar_stays imported_calendars imported_days knowledge_bases knowledge_fragments listings",
    "properties property_feeds property_groups",
    "property_tags reservation_tags room_type_properties room_types staff_properties staffs tag_properties tag_room_types",
    "automation_rules channel_accounts connectors removed_stays"
  ),
  ...withReason(
    "codes, days, money and names of fields, no words",
    "events event_consumers forgotten_events webhook_deliveries webhook_lanes webhook_receivers webhook_subscriptions",
    "connector_messages listing_comparisons listing_lanes listing_pushes automation_stays answer_lanes",
    "notifications message_lanes trail schema_migrations channel_payments special_offers transaction_shares image_shares"
  ),
  ...withReason(
    "the channel that is played: its guests are made up",
    "sandbox_accounts sandbox_asked sandbox_days sandbox_listings sandbox_messages sandbox_offers sandbox_orders sandbox_payments",
    "sandbox_reviews sandbox_threads sandbox_words"
  ),
  stay_search_texts: "triggers copy it from stays and guests, and update it when those are erased",
  images: "an image goes with what refers to it",
  image_bytes: "an image goes with what refers to it",
  automation_plans: "why something was not done is forgotten by stay (automation/guest-places.ts)",
  idempotency_keys: "forgotten by the codes in it (changes/idempotency-key-statements.ts)",
  webhook_attempts: "what receivers answered is forgotten by record (domain/webhooks/deliveries/guest-data.ts)"
}

/** Columns and JSON fields that are kept although they can hold text, with the reason. A JSON path skips lists: `rate_details.type`. */
export const KEPT_COLUMNS: Readonly<Record<string, string>> = {
  ...withReason(
    "a code of ours or of the channel, by which records refer to each other",
    "orders.reservation_code orders.channel_id orders.conversation_id stays.stay_code stays.listing_id stays.channel_room_id",
    "conversations.code conversations.thread_id conversations.inquiry_listing_id messages.code messages.channel_message_id"
  ),
  ...withReason(
    "one of a few words of ours",
    "orders.channel_type orders.status orders.cancellation_policy_category orders.currency conversations.channel_type",
    "messages.sender_role messages.display_type messages.delivery reviews.channel_type tasks.type tasks.status tasks.level",
    "tasks.currency transactions.currency transactions.direction transactions.status stays.stay_status stays.id_required"
  ),
  ...withReason("the host's account that created it", "orders.creator transactions.operator_name"),
  ...withReason("the kind of a rate, which the accounts need", "stays.rate_details.type"),
  ...withReason(
    "the name and the currency of a fee, which the accounts need",
    "stays.additional_fees.name stays.additional_fees.currency"
  ),
  ...withReason(
    "a score, its category and its time stay",
    "reviews.guest_review.created_at reviews.host_review.created_at reviews.host_reply.created_at",
    "reviews.guest_review.sub_score.category reviews.host_review.sub_score.category"
  ),
  "messages.traceparent": "a trace id"
}
