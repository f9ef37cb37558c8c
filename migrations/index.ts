import type { Migration } from "../src/platform/database/migration.ts"
import foundation from "./0001_foundation.ts"
import windows from "./0002_windows.ts"
import portfolio from "./0003_portfolio.ts"
import availability from "./0004_availability.ts"
import reservations from "./0005_reservations.ts"
import webhooks from "./0006_webhooks.ts"
import work from "./0007_work.ts"
import shareLinks from "./0008_share_links.ts"
import webhookLanes from "./0009_webhook_lanes.ts"
import changes from "./0010_changes.ts"
import feed from "./0011_feed.ts"
import refusals from "./0012_refusals.ts"
import stayCounts from "./0013_stay_counts.ts"
import staysCounted from "./0014_stays_counted.ts"
import staysOfBefore from "./0015_stays_of_before.ts"
import ordersStatus from "./0016_orders_status.ts"
import ordersBooked from "./0017_orders_booked.ts"
import staysOfOrder from "./0018_stays_of_order.ts"
import staysByCheckIn from "./0019_stays_by_check_in.ts"
import staysByCheckOut from "./0020_stays_by_check_out.ts"
import staysByProperty from "./0021_stays_by_property.ts"
import replacedIndexes from "./0022_replaced_indexes.ts"
import channelAccounts from "./0023_channel_accounts.ts"
import listings from "./0024_listings.ts"
import listingsOfRoomTypes from "./0025_listings_of_room_types.ts"
import ordersOfChannels from "./0026_orders_of_channels.ts"
import staysOfChannels from "./0027_stays_of_channels.ts"
import channelPayments from "./0028_channel_payments.ts"
import staysRemoved from "./0029_stays_removed.ts"
import sandbox from "./0030_sandbox.ts"
import ordersExpiring from "./0031_orders_expiring.ts"
import daysTakenElsewhere from "./0032_days_taken_elsewhere.ts"
import propertiesDeactivated from "./0033_properties_deactivated.ts"
import importedCalendars from "./0034_imported_calendars.ts"
import listingsFollow from "./0035_listings_follow.ts"
import connectors from "./0036_connectors.ts"
import conversations from "./0037_conversations.ts"
import images from "./0038_images.ts"
import specialOffers from "./0039_special_offers.ts"
import reviews from "./0040_reviews.ts"
import sandboxGuests from "./0041_sandbox_guests.ts"
import guestPages from "./0042_guest_pages.ts"
import identityImages from "./0043_identity_images.ts"
import pagesOfStays from "./0044_pages_of_stays.ts"
import staysByPage from "./0045_stays_by_page.ts"
import ordersOfConversations from "./0046_orders_of_conversations.ts"
import knowledgeBases from "./0047_knowledge_bases.ts"
import automationRules from "./0048_automation_rules.ts"
import automationPlans from "./0049_automation_plans.ts"
import oauth from "./0050_oauth.ts"
import consoleTables from "./0051_console.ts"
import tokensOfGrants from "./0052_tokens_of_grants.ts"
import webhooksOfGrants from "./0053_webhooks_of_grants.ts"
import accountsDisabled from "./0054_accounts_disabled.ts"
import dictionaryRetired from "./0055_dictionary_retired.ts"
import failedPushes from "./0056_failed_pushes.ts"
import addresses from "./0057_addresses.ts"
import addressesOfLinks from "./0058_addresses_of_links.ts"
import keysOfOperators from "./0059_keys_of_operators.ts"
import traces from "./0060_traces.ts"
import digestsOfCalendars from "./0061_digests_of_calendars.ts"
import calendarsByDigest from "./0062_calendars_by_digest.ts"
import guestsByAge from "./0063_guests_by_age.ts"
import inquiriesByAge from "./0064_inquiries_by_age.ts"
import feedsReadInPart from "./0065_feeds_read_in_part.ts"
import erasedDetails from "./0066_erased_details.ts"
import staySearchTexts from "./0067_stay_search_texts.ts"
import searchTextsOfGuests from "./0068_search_texts_of_guests.ts"
import nameKeys from "./0069_name_keys.ts"
import madeByGrants from "./0070_made_by_grants.ts"
import keysByGrants from "./0071_keys_by_grants.ts"
import propertyPrices from "./0072_property_prices.ts"
import directPriceDays from "./0073_direct_price_days.ts"
import quotes from "./0074_quotes.ts"
import ruleTasks from "./0075_rule_tasks.ts"
import calendarStays from "./0076_calendar_stays.ts"
import houseCalendars from "./0077_house_calendars.ts"
import notifications from "./0078_notifications.ts"

/** In the order they run. A migration that was released is never edited: the next one changes what it made. */
export const migrations: ReadonlyArray<Migration> = [
  { id: 1, name: "foundation", up: foundation },
  { id: 2, name: "windows", up: windows },
  { id: 3, name: "portfolio", up: portfolio },
  { id: 4, name: "availability", up: availability },
  { id: 5, name: "reservations", up: reservations },
  { id: 6, name: "webhooks", up: webhooks },
  { id: 7, name: "work", up: work },
  { id: 8, name: "share_links", up: shareLinks },
  { id: 9, name: "webhook_lanes", up: webhookLanes },
  { id: 10, name: "changes", up: changes },
  { id: 11, name: "feed", up: feed },
  { id: 12, name: "refusals", up: refusals },
  { id: 13, name: "stay_counts", up: stayCounts },
  { id: 14, name: "stays_counted", up: staysCounted },
  { id: 15, name: "stays_of_before", up: staysOfBefore, nonTransactional: true },
  { id: 16, name: "orders_status", up: ordersStatus },
  { id: 17, name: "orders_booked", up: ordersBooked },
  { id: 18, name: "stays_of_order", up: staysOfOrder },
  { id: 19, name: "stays_by_check_in", up: staysByCheckIn },
  { id: 20, name: "stays_by_check_out", up: staysByCheckOut },
  { id: 21, name: "stays_by_property", up: staysByProperty },
  { id: 22, name: "replaced_indexes", up: replacedIndexes },
  { id: 23, name: "channel_accounts", up: channelAccounts },
  { id: 24, name: "listings", up: listings },
  { id: 25, name: "listings_of_room_types", up: listingsOfRoomTypes },
  { id: 26, name: "orders_of_channels", up: ordersOfChannels },
  { id: 27, name: "stays_of_channels", up: staysOfChannels },
  { id: 28, name: "channel_payments", up: channelPayments },
  { id: 29, name: "stays_removed", up: staysRemoved },
  { id: 30, name: "sandbox", up: sandbox },
  { id: 31, name: "orders_expiring", up: ordersExpiring },
  { id: 32, name: "days_taken_elsewhere", up: daysTakenElsewhere },
  { id: 33, name: "properties_deactivated", up: propertiesDeactivated },
  { id: 34, name: "imported_calendars", up: importedCalendars },
  { id: 35, name: "listings_follow", up: listingsFollow },
  { id: 36, name: "connectors", up: connectors },
  { id: 37, name: "conversations", up: conversations },
  { id: 38, name: "images", up: images },
  { id: 39, name: "special_offers", up: specialOffers },
  { id: 40, name: "reviews", up: reviews },
  { id: 41, name: "sandbox_guests", up: sandboxGuests },
  { id: 42, name: "guest_pages", up: guestPages },
  { id: 43, name: "identity_images", up: identityImages },
  { id: 44, name: "pages_of_stays", up: pagesOfStays, nonTransactional: true },
  { id: 45, name: "stays_by_page", up: staysByPage },
  { id: 46, name: "orders_of_conversations", up: ordersOfConversations },
  { id: 47, name: "knowledge_bases", up: knowledgeBases },
  { id: 48, name: "automation_rules", up: automationRules },
  { id: 49, name: "automation_plans", up: automationPlans },
  { id: 50, name: "oauth", up: oauth },
  { id: 51, name: "console", up: consoleTables },
  { id: 52, name: "tokens_of_grants", up: tokensOfGrants },
  { id: 53, name: "webhooks_of_grants", up: webhooksOfGrants },
  { id: 54, name: "accounts_disabled", up: accountsDisabled },
  { id: 55, name: "dictionary_retired", up: dictionaryRetired },
  { id: 56, name: "failed_pushes", up: failedPushes },
  { id: 57, name: "addresses", up: addresses },
  { id: 58, name: "addresses_of_links", up: addressesOfLinks },
  { id: 59, name: "keys_of_operators", up: keysOfOperators, nonTransactional: true },
  { id: 60, name: "traces", up: traces, nonTransactional: true },
  { id: 61, name: "digests_of_calendars", up: digestsOfCalendars },
  { id: 62, name: "calendars_by_digest", up: calendarsByDigest, nonTransactional: true },
  { id: 63, name: "guests_by_age", up: guestsByAge, nonTransactional: true },
  { id: 64, name: "inquiries_by_age", up: inquiriesByAge, nonTransactional: true },
  { id: 65, name: "feeds_read_in_part", up: feedsReadInPart },
  { id: 66, name: "erased_details", up: erasedDetails, nonTransactional: true },
  { id: 67, name: "stay_search_texts", up: staySearchTexts },
  { id: 68, name: "search_texts_of_guests", up: searchTextsOfGuests, nonTransactional: true },
  { id: 69, name: "name_keys", up: nameKeys, nonTransactional: true },
  { id: 70, name: "made_by_grants", up: madeByGrants, nonTransactional: true },
  { id: 71, name: "keys_by_grants", up: keysByGrants },
  { id: 72, name: "property_prices", up: propertyPrices, nonTransactional: true },
  { id: 73, name: "direct_price_days", up: directPriceDays, nonTransactional: true },
  { id: 74, name: "quotes", up: quotes },
  { id: 75, name: "rule_tasks", up: ruleTasks, nonTransactional: true },
  { id: 76, name: "calendar_stays", up: calendarStays },
  { id: 77, name: "house_calendars", up: houseCalendars },
  { id: 78, name: "notifications", up: notifications }
]
