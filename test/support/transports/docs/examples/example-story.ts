import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Marketplace } from "../../../../../src/connectors/sandbox/Marketplace.ts"
import { addDays } from "../../../../../src/contract/time.ts"
import { AuthorizationCodes } from "../../../../../src/domain/access/oauth/AuthorizationCodes.ts"
import { Partners } from "../../../../../src/domain/access/oauth/Partners.ts"
import { challengeOf } from "../../../../../src/domain/access/oauth/pkce.ts"
import { Deployment, type DeploymentName } from "../../../../../src/platform/installation.ts"
import type { DemoAccess } from "../../../../../src/tools/demo/seed.ts"
import { submitIdentityDocuments } from "../../../domain/bookings/check-in/identity-documents.ts"
import { toBasePriceBody } from "../../../domain/bookings/quotes/base-prices.ts"
import { typedClient, withToken } from "../../../harness.ts"
import { insertCalendarStay, insertUnreadablePart } from "../../../imported-calendars.ts"
import { insertDeliveries } from "../../../webhook-deliveries.ts"

// A morning of the demo's host, in which each operation is called at least once. What the first call of each sent and was answered
// are the examples of the documents.

/** What the story takes place on: the demo is the same on every start, but for its codes. */
export const TODAY = "2026-11-20"

const dateInDays = (days: number): string => addDays(TODAY, days)

type Client = Effect.Success<typeof typedClient>

/** Flats of the demo. */
const [ALFAMA, CHIADO, LEITH] = [1, 2, 6]

const findFirst = <Row>(rows: ReadonlyArray<Row>, matches: (row: Row) => boolean = () => true): Effect.Effect<Row> => {
  const row = rows.find(matches)
  return row === undefined ? Effect.die(new Error("the demo has no such row")) : Effect.succeed(row)
}

const callMoneyOperations = (api: Client) =>
  Effect.gen(function* () {
    yield* api.search_transactions({ start_date: dateInDays(-30), end_date: TODAY, direction: "expense", limit: 2 })
    yield* api.query_income_items()
    yield* api.query_expense_items()
    yield* api.query_income_methods()
    yield* api.query_expense_methods()
    yield* api.list_categories({ dictionary: "expense_methods" })
    const { category } = yield* api.create_category({ dictionary: "income_items", name: "Boat trips" })
    yield* api.update_category({ dictionary: "income_items", id: category.id, is_retired: true })
    const laundry = {
      property_id: LEITH,
      direction: "expense",
      amount: 35.5,
      currency: "GBP",
      item_id: 52,
      payment_method_id: 301,
      note: "Towels and linen"
    } as const
    const { transaction_id: id } = yield* api.create_transaction(laundry)
    yield* api.update_transaction({ id, amount: 38 })
    yield* api.delete_transaction({ id })
  })

const callPortfolioOperations = (api: Client) =>
  Effect.gen(function* () {
    yield* api.search_audit_log({ limit: 2 })
    yield* api.search_properties({ limit: 2 })
    const { property_id } = yield* api.create_property({ title: "Porto, Ribeira Loft" })
    yield* api.update_property({ id: property_id, address: "Cais da Ribeira 24, Porto", default_checkin_time: "16:00" })
    yield* api.search_room_types({ limit: 2 })
    const { room_type_id } = yield* api.create_room_type({ title: "Loft with a view", property_ids: [property_id] })
    yield* api.update_room_type({ id: room_type_id, title: "Loft with a river view" })
    yield* api.search_property_groups({ limit: 2 })
    const { group } = yield* api.create_property_group({ name: "Portugal", property_ids: [ALFAMA, CHIADO] })
    yield* api.update_property_group({ id: group.id, property_ids: [ALFAMA, CHIADO, property_id] })
    yield* api.delete_property_group({ id: group.id })
    yield* api.query_tags({ limit: 2 })
    const { tag } = yield* api.create_property_tag({ name: "Lift", color: "#2CBCFD", property_ids: [ALFAMA] })
    yield* api.update_property_tag({ id: tag.id, name: "Has a lift" })
    yield* api.delete_property_tag({ id: tag.id })
    yield* api.query_custom_channels()
    yield* api.search_channel_accounts({ limit: 2 })
  })

const callCalendarOperations = (api: Client, listing_id: string, vrboListingId: string) =>
  Effect.gen(function* () {
    const week = { start_date: dateInDays(70), end_date: dateInDays(76) }
    const listing = { channel_type: "airbnb", listing_id } as const
    yield* api.get_pricing_ratios({ property_id: ALFAMA })
    yield* api.set_listing_mapping({ ...listing, property_id: ALFAMA, ratio: 112 })
    yield* api.set_base_prices({
      property_id: ALFAMA,
      ranges: [
        { ...week, price: 120, minimum_stay: 2 },
        { ...week, weekdays: [5, 6], price: 150 }
      ]
    })
    yield* api.get_base_prices({ property_id: ALFAMA, ...week })
    yield* api.get_property_availability({
      property_ids: [ALFAMA, CHIADO],
      start_date: dateInDays(3),
      end_date: dateInDays(4)
    })
    yield* api.update_availabilities({ property_ids: [ALFAMA], available: false, ...week })
    yield* api.update_availabilities({ property_ids: [ALFAMA], available: true, ...week })
    const twoDays = { start_date: dateInDays(70), end_date: dateInDays(71) }
    yield* api.search_listing_calendars({ ...twoDays, listings: [listing] })
    yield* api.update_listing_prices({ ...listing, prices: [{ ...week, price: 145 }] })
    yield* api.update_listing_restrictions({ ...listing, restrictions: [{ ...week, min_stay_on_arrival: 3 }] })
    yield* api.update_listing_inventories({ ...listing, inventories: [{ ...week, inventory: 1 }] })
    yield* api.update_airbnb_price_and_rules({ listing_id, settings: { base_price: 140, weekend_price: 165 } })
    yield* api.get_airbnb_price_and_rules({ listing_id })
    yield* api.update_vrbo_price_and_rules({
      listing_id: vrboListingId,
      settings: { minimum_stay: 3, check_out_before: 11 }
    })
    yield* api.get_vrbo_price_and_rules({ listing_id: vrboListingId })
    yield* api.search_calendar_share_links({ limit: 2 })
    const { calendar_share_link } = yield* api.create_calendar_share_link({ scope: "partial", property_ids: [LEITH] })
    yield* api.delete_calendar_share_link({ id: calendar_share_link.id })
  })

const callImportedCalendarOperations = (api: Client, { operatorId }: DemoAccess) =>
  Effect.gen(function* () {
    const { imported_calendar_id: id } = yield* api.create_imported_calendar({
      property_id: LEITH,
      url: "https://calendars.example.com/ical/40117.ics?s=3f1c9a77"
    })
    const digest = yield* insertUnreadablePart(id)
    yield* api.list_imported_calendars({ property_id: LEITH })
    yield* api.accept_imported_calendar({ id, digest })
    yield* api.update_imported_calendar({ id, skip_unavailable: true })
    yield* api.fetch_imported_calendar({ id })
    const feed = yield* api.create_property_feed({ property_id: LEITH, calendar_id: id })
    yield* api.list_property_feeds({ property_id: LEITH })
    yield* api.renew_property_feed({ id: feed.id })
    const houseCalendar = yield* api.create_property_feed({
      property_id: LEITH,
      kind: "house",
      fields: ["guest_name", "phone", "door_code"]
    })
    yield* api.delete_property_feed({ id: houseCalendar.id })
    yield* api.update_imported_calendar({ id, events: "stay", channel_type: "vrbo" })
    const detachedCode = yield* insertCalendarStay(operatorId, LEITH, id, dateInDays(100))
    yield* api.detach_calendar_stay({ stay_code: detachedCode })
    const cancelledCode = yield* insertCalendarStay(operatorId, LEITH, id, dateInDays(110))
    yield* api.cancel_calendar_stay({ stay_code: cancelledCode })
    yield* api.delete_imported_calendar({ id })
  })

/** Base prices of the flat in Leith, and what a stay there costs with its fees and taxes. */
const callQuoteOperations = (api: Client) =>
  Effect.gen(function* () {
    yield* api.update_property({
      id: LEITH,
      currency: "GBP",
      capacity: 4,
      fees: [{ name: "Cleaning", amount: 40, per: "stay" }],
      taxes: [{ name: "VAT", percent: 20, per: "stay" }]
    })
    const stay = { check_in_date: dateInDays(100), check_out_date: dateInDays(102) }
    yield* api.set_base_prices(toBasePriceBody({ propertyId: LEITH, from: stay.check_in_date, prices: [110, 125] }))
    yield* api.create_quote({ property_id: LEITH, ...stay, number_of_guests: 2 })
  })

const callOrderOperations = (api: Client, { operatorId }: DemoAccess) =>
  Effect.gen(function* () {
    yield* api.search_reservations({ property_id: LEITH, start_check_in_date: TODAY, status: "accepted", limit: 1 })
    const { reservation_code } = yield* api.create_reservation({
      property_id: LEITH,
      custom_channel_id: 30,
      check_in_date: dateInDays(90),
      check_out_date: dateInDays(93),
      guest_name: "Ada Moreau",
      currency: "GBP",
      rate_amount: 330,
      commission_amount: 0,
      received_amount: 100,
      income_method_id: 197,
      number_of_guests: 2,
      channel_id: "PHONE1120"
    })
    // Of an order of one stay the two are one.
    const stay_code = reservation_code
    yield* api.update_reservation_basic({
      stay_code,
      check_out_date: dateInDays(94),
      remarks: "Comes by the night train"
    })
    yield* api.search_reservation_tags({ limit: 2 })
    const { reservation_tag } = yield* api.create_reservation_tag({ tag_name: "Anniversary" })
    yield* api.add_reservation_tag({ stay_code, tag_name: "Anniversary" })
    yield* api.remove_reservation_tag({ stay_code, tag_name: "Anniversary" })
    yield* api.delete_reservation_tag({ id: reservation_tag.id })
    yield* api.update_check_in_details({ stay_code, lock_code: "4711#", arrival_at: { hour: 21, minute: 30 } })
    yield* submitIdentityDocuments(operatorId, stay_code)
    yield* api.approve_check_in({ stay_code })
    yield* api.update_reservation_custom_fields({ stay_code, custom_fields: { parking: "Bay 12" } })
    yield* api.query_custom_fields({ stay_code })
    yield* api.move_stay_to_box({ stay_code })
    yield* api.allocate_stay({ stay_code, property_id: LEITH })
    yield* api.update_stay_status({ stay_code, stay_status: "in_house" })
    yield* api.cancel_reservation({ reservation_code })
    const { reservations } = yield* api.search_reservations({ status: "wait_accept", limit: 100 })
    const [firstRequest, secondRequest] = reservations
    yield* api.approve_reservation({ reservation_code: firstRequest?.reservation_code ?? "" })
    yield* api.decline_reservation({ reservation_code: secondRequest?.reservation_code ?? "" })
  })

/** How a member of staff is called on the telephone, which the deployments write otherwise. */
const STAFF_MOBILE = { international: "+351 912345678", regional: "13800138000" } as const

const callStaffAndTaskOperations = (api: Client, deployment: DeploymentName) =>
  Effect.gen(function* () {
    yield* api.query_staffs({ limit: 2 })
    const person = { name: "Marta Silva", mobile: STAFF_MOBILE[deployment], property_ids: [ALFAMA, CHIADO] }
    const { staff_id } = yield* api.create_staff(person)
    yield* api.update_staff({ id: staff_id, note: "Mornings only" })
    yield* api.search_tasks({ status: "pending", limit: 2 })
    const { task_id } = yield* api.create_task({
      type: "cleaning",
      property_id: ALFAMA,
      staff_id,
      expected_date: dateInDays(3),
      expected_time: "11:00:00",
      note: "A cot for the next guests"
    })
    yield* api.update_task({ id: task_id, status: "in_progress" })
    yield* api.delete_task({ id: task_id })
    yield* api.delete_staff({ id: staff_id })
  })

/** Of the guest who has asked about a flat and not booked. */
const callOfferOperations = (api: Client, conversation_id: string, listing_id: string) =>
  Effect.gen(function* () {
    yield* api.send_preapproval({ conversation_id })
    yield* api.send_special_offer({
      conversation_id,
      listing_id,
      check_in_date: dateInDays(100),
      check_out_date: dateInDays(103),
      price: 390,
      number_of_adults: 2
    })
    const { special_offers } = yield* api.search_special_offers({ conversation_id })
    const { id } = yield* findFirst(special_offers)
    yield* api.withdraw_special_offer({ conversation_id, special_offer_id: id })
  })

const callConversationOperations = (api: Client, listing_id: string) =>
  Effect.gen(function* () {
    const { conversations } = yield* api.query_conversations({ limit: 2 })
    const { id } = yield* findFirst(conversations)
    yield* api.get_conversation({ id })
    yield* callOfferOperations(api, id, listing_id)
    yield* api.send_message({ id, message: "The key is in the box right of the door." })
    yield* api.update_conversation_note({ conversation_id: id, note: "Arrives with a dog" })
    // Of guests whom no rule is about to review.
    const { reviews } = yield* api.search_reviews({ end_check_out_date: dateInDays(-6), limit: 2 })
    const isUnanswered = ({ channel_type, host_reply }: (typeof reviews)[number]) =>
      channel_type === "airbnb" && host_reply === null
    const { reservation_code } = yield* findFirst(reviews, isUnanswered)
    yield* api.create_review({ reservation_code, host_reply_content: "Thank you, come back any time!" })
  })

const callKnowledgeOperations = (api: Client) =>
  Effect.gen(function* () {
    yield* api.search_knowledge_bases({ property_ids: [ALFAMA], limit: 2 })
    const entry = {
      title: "Luggage in Lisbon",
      is_enable: true,
      scope_property: { type: "by_property", ids: [ALFAMA, CHIADO] },
      scope_channel: { type: "all", channels: ["unlimited"] },
      contents: [{ sub_title: "Before check-in", text: "Luggage can be left from noon on." }],
      audience: "guests"
    } as const
    const { id } = yield* api.create_knowledge_base(entry)
    yield* api.get_knowledge_base({ id })
    yield* api.update_knowledge_base({ id, ...entry, is_enable: false })
    yield* api.delete_knowledge_base({ id })
    yield* api.ask_knowledge_base({ question: "Is there parking?" })
  })

const callAutomationRuleOperations = (api: Client) =>
  Effect.gen(function* () {
    yield* api.list_automation_rules({ limit: 2 })
    yield* api.try_automation_rule({
      name: "Cleaning",
      action: "task",
      trigger: { event: "check_out", when: "after", hours: 0 },
      task: { type: "cleaning", level: "standard", staff: "property" },
      property_ids: [ALFAMA]
    })
    const { rule_id: id } = yield* api.create_automation_rule({
      name: "The evening before",
      action: "send_message",
      trigger: { event: "check_in", when: "before", days: 1, at: "18:00" },
      text: "Dear {{guest.first_name}}, you are expected from {{stay.check_in_time}} on.",
      property_ids: [ALFAMA, CHIADO]
    })
    const { reservations } = yield* api.search_reservations({
      property_id: ALFAMA,
      start_check_in_date: TODAY,
      status: "accepted",
      limit: 1
    })
    yield* api.test_automation_rule({ id, stay_code: reservations[0]?.stay_code ?? "" })
    yield* api.update_automation_rule({
      id,
      trigger: { event: "check_in", when: "before", days: 1, at: "17:00" },
      property_ids: null
    })
    yield* api.pause_automation_rule({ id })
    yield* api.resume_automation_rule({ id })
    yield* api.delete_automation_rule({ id })
  })

const callAutomationOperations = (api: Client) =>
  Effect.gen(function* () {
    const { actions } = yield* api.query_upcoming_automation_actions({ type: "message", limit: 2 })
    const [firstAction, secondAction] = actions
    yield* api.execute_automation_action({
      plan_id: firstAction?.id ?? assert.fail("there is no first planned action")
    })
    yield* api.delete_automation_action({
      plan_id: secondAction?.id ?? assert.fail("there is no second planned action")
    })
    yield* callAutomationRuleOperations(api)
  })

const callEventOperations = (api: Client, { operatorId }: DemoAccess) =>
  Effect.gen(function* () {
    yield* api.list_webhooks()
    const { webhook } = yield* api.create_webhook({
      url: "https://hooks.example.com/latchkey",
      events: ["reservation_created", "reservation_updated"]
    })
    yield* api.update_webhook({ id: webhook.id, events: ["reservation_created"] })
    yield* api.test_webhook({ id: webhook.id })
    const delivery = yield* insertDeliveries(operatorId, webhook.id)
    yield* api.list_webhook_deliveries({ id: webhook.id, limit: 1 })
    yield* api.replay_webhook_delivery({ id: delivery })
    yield* api.delete_webhook({ id: webhook.id })
    const { next_cursor } = yield* api.list_events({ types: "reservation_created", limit: 2 })
    yield* api.put_event_consumer({ name: "accounts", cursor: next_cursor })
    yield* api.list_event_consumers()
    yield* api.delete_event_consumer({ name: "accounts" })
  })

const PARTNER_FIELDS = { name: "Ledger", redirect_uris: ["https://ledger.example.com/connected"] } as const
const CODE_VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

/** An application is given access and gives it back. */
const callOauthOperations = (api: Client, { operatorId, accountId }: DemoAccess) =>
  Effect.gen(function* () {
    yield* api.create_oauth_registration({
      redirect_uris: ["http://127.0.0.1:51234/callback"],
      client_name: "My agent"
    })
    const { client_id, client_secret } = yield* Partners.use((partners) =>
      partners.create({ name: PARTNER_FIELDS.name, redirect_uris: [...PARTNER_FIELDS.redirect_uris] })
    )
    const [redirect_uri] = PARTNER_FIELDS.redirect_uris
    const code = yield* AuthorizationCodes.use((codes) =>
      codes.issue({
        caller: { operatorId, accountId },
        client: {
          id: client_id,
          name: PARTNER_FIELDS.name,
          redirectUris: PARTNER_FIELDS.redirect_uris,
          isPublic: false
        },
        scope: "writable",
        redirectUri: redirect_uri,
        challenge: challengeOf(CODE_VERIFIER),
        resource: null
      })
    )
    const exchangeFields = { client_id, client_secret, code, redirect_uri, code_verifier: CODE_VERIFIER } as const
    const { refresh_token } = yield* api.create_oauth_authorization({
      grant_type: "authorization_code",
      ...exchangeFields
    })
    yield* api.revoke_oauth_authorization({ client_id, client_secret, token: refresh_token })
  })

/** The morning of who has this access. */
const callAllOperations = Effect.fnUntraced(function* (demo: DemoAccess) {
  const api = yield* typedClient
  const market = yield* Marketplace
  const airbnb = yield* api.search_listings({ channel_type: "airbnb", limit: 2 })
  const { listing_id } = yield* findFirst(airbnb.listings)
  const { listings } = yield* api.search_listings({ channel_type: "vrbo", limit: 2 })
  const vrboListing = yield* findFirst(listings)
  yield* market.bookOrder({
    listing_id,
    guest_name: "Noor Haddad",
    check_in_date: dateInDays(110),
    check_out_date: dateInDays(112)
  })
  yield* market.sendInquiry({
    listing_id,
    guest_name: "Priya Raman",
    check_in_date: dateInDays(100),
    check_out_date: dateInDays(103),
    text: "Hello! Is the terrace quiet in the evening?"
  })
  yield* callMoneyOperations(api)
  yield* callPortfolioOperations(api)
  yield* callCalendarOperations(api, listing_id, vrboListing.listing_id)
  yield* callQuoteOperations(api)
  yield* callImportedCalendarOperations(api, demo)
  yield* callOrderOperations(api, demo)
  yield* callStaffAndTaskOperations(api, yield* Deployment)
  yield* callConversationOperations(api, listing_id)
  yield* callKnowledgeOperations(api)
  yield* callAutomationOperations(api)
  yield* callEventOperations(api, demo)
  yield* callOauthOperations(api, demo)
})

/** Whose token the story's calls carry. */
export const runExampleStory = (demo: DemoAccess) => callAllOperations(demo).pipe(withToken(demo.token))
