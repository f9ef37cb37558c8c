// The 72 tools as the specification's catalogue has them: name, route, category, read, confirmation, release.

export interface ToolCatalogueRow {
  readonly name: string
  readonly route: string
  readonly category: string
  readonly readOnly: boolean
  readonly requiresConfirmation: boolean
  readonly since: string
}

const CATALOGUE_TEXT = `
search_reservations | GET /reservations | reservation | read |  | 3.4.0
create_reservation | POST /reservations | reservation | write | ask | 3.4.0
update_reservation_basic | PATCH /reservations/{stay_code} | reservation | write | ask | 3.4.0
cancel_reservation | DELETE /reservations/{reservation_code} | reservation | write | ask | 3.4.0
approve_reservation | POST /reservations/{reservation_code}/approve | reservation | write | ask | 3.4.0
decline_reservation | POST /reservations/{reservation_code}/decline | reservation | write | ask | 3.4.0
add_reservation_tag | POST /reservations/{stay_code}/tags | reservation | write |  | 3.4.0
update_check_in_details | PATCH /reservations/{stay_code}/check_in_details | reservation | write | ask | 3.4.0
update_reservation_custom_fields | PATCH /reservations/{stay_code}/custom_fields | reservation | write | ask | 3.4.0
search_reservation_tags | GET /reservation_tags | reservation | read |  | 3.5.0
create_reservation_tag | POST /reservation_tags | reservation | write |  | 3.5.0
delete_reservation_tag | DELETE /reservation_tags/{id} | reservation | write |  | 3.5.0
search_reviews | GET /reviews | reservation | read |  | 3.4.0
create_review | POST /reviews/{reservation_code} | reservation | write | ask | 3.4.0
search_special_offers | GET /conversations/{conversation_id}/special_offers | reservation | read |  | 3.7.0
send_special_offer | POST /conversations/{conversation_id}/special_offers | reservation | write | ask | 3.7.0
send_preapproval | POST /conversations/{conversation_id}/preapprovals | reservation | write | ask | 3.7.0
withdraw_special_offer | DELETE /conversations/{conversation_id}/special_offers/{special_offer_id} | reservation | write |  | 3.7.0
search_properties | GET /properties | property | read |  | 3.4.0
create_property | POST /properties | property | write | ask | 3.4.0
search_room_types | GET /room_types | property | read |  | 3.4.0
create_room_type | POST /room_types | property | write | ask | 3.4.0
search_property_groups | GET /groups | property | read |  | 3.4.0
create_property_group | POST /groups | property | write |  | 3.5.0
update_property_group | PATCH /groups/{id} | property | write |  | 3.5.0
delete_property_group | DELETE /groups/{id} | property | write |  | 3.5.0
create_property_tag | POST /tags | property | write |  | 3.5.0
update_property_tag | PATCH /tags/{id} | property | write |  | 3.5.0
delete_property_tag | DELETE /tags/{id} | property | write |  | 3.5.0
search_channel_accounts | GET /channel_accounts | property | read |  | 3.4.0
search_listings | GET /listings | property | read |  | 3.4.0
get_property_availability | GET /availabilities | calendar | read |  | 3.4.0
update_availabilities | POST /availabilities | calendar | write | ask | 3.4.0
search_listing_calendars | POST /listings/calendar | calendar | write |  | 3.4.0
update_listing_inventories | POST /listings/inventories | calendar | write | ask | 3.4.0
update_listing_prices | POST /listings/prices | calendar | write | ask | 3.4.0
update_listing_restrictions | POST /listings/restrictions | calendar | write | ask | 3.4.0
get_pricing_ratios | GET /pricing_ratios | calendar | read |  | 3.4.0
search_calendar_share_links | GET /calendar_share_links | calendar | read |  | 3.5.0
create_calendar_share_link | POST /calendar_share_links | calendar | write |  | 3.5.0
delete_calendar_share_link | DELETE /calendar_share_links/{id} | calendar | write |  | 3.5.0
search_transactions | GET /transactions | finance | read |  | 3.4.0
create_transaction | POST /transactions | finance | write | ask | 3.4.0
update_transaction | PATCH /transactions/{id} | finance | write | ask | 3.4.0
delete_transaction | DELETE /transactions/{id} | finance | write | ask | 3.4.0
query_income_items | GET /income_items | finance | read |  | 3.4.0
query_expense_items | GET /expense_items | finance | read |  | 3.4.0
query_income_methods | GET /income_methods | finance | read |  | 3.4.0
query_expense_methods | GET /expense_methods | finance | read |  | 3.4.0
search_tasks | GET /tasks | task | read |  | 3.4.0
create_task | POST /tasks | task | write | ask | 3.4.0
update_task | PATCH /tasks/{id} | task | write | ask | 3.4.0
delete_task | DELETE /tasks/{id} | task | write | ask | 3.4.0
query_staffs | GET /staffs | task | read |  | 3.4.0
create_staff | POST /staffs | task | write | ask | 3.4.0
update_staff | PATCH /staffs/{id} | task | write | ask | 3.4.0
delete_staff | DELETE /staffs/{id} | task | write | ask | 3.4.0
search_knowledge_bases | GET /knowledge_bases | knowledge_base | read |  | 3.4.0
get_knowledge_base | GET /knowledge_bases/{id} | knowledge_base | read |  | 3.4.0
create_knowledge_base | POST /knowledge_bases | knowledge_base | write | ask | 3.4.0
update_knowledge_base | PATCH /knowledge_bases/{id} | knowledge_base | write | ask | 3.4.0
delete_knowledge_base | DELETE /knowledge_bases/{id} | knowledge_base | write | ask | 3.4.0
query_conversations | GET /conversations | messaging | read |  | 3.4.0
get_conversation | GET /conversations/{id} | messaging | read |  | 3.4.0
send_message | POST /conversations/{id} | messaging | write | ask | 3.4.0
update_conversation_note | PATCH /conversations/{conversation_id}/note | messaging | write |  | 3.5.0
query_upcoming_automation_actions | GET /automation/actions | automation | read |  | 3.4.0
execute_automation_action | POST /automation/actions/{plan_id}/execute | automation | write | ask | 3.4.0
delete_automation_action | DELETE /automation/actions/{plan_id} | automation | write | ask | 3.4.0
query_tags | GET /tags | meta | read |  | 3.4.0
query_custom_fields | GET /reservations/{stay_code}/custom_fields | meta | read |  | 3.4.0
query_custom_channels | GET /custom_channels | meta | read |  | 3.4.0
`

export const TOOL_CATALOGUE: ReadonlyArray<ToolCatalogueRow> = CATALOGUE_TEXT.trim()
  .split("\n")
  .map((line) => {
    const [name = "", route = "", category = "", access, confirmation, since = ""] = line
      .split("|")
      .map((cell) => cell.trim())
    return { name, route, category, since, readOnly: access === "read", requiresConfirmation: confirmation === "ask" }
  })

/** Of each category: tools, those that read, those that write, those to be confirmed. */
export const TOOL_COUNTS_BY_CATEGORY: Readonly<Record<string, readonly [number, number, number, number]>> = {
  reservation: [18, 4, 14, 10],
  property: [13, 5, 8, 2],
  calendar: [10, 3, 7, 4],
  finance: [8, 5, 3, 3],
  task: [8, 2, 6, 6],
  knowledge_base: [5, 2, 3, 3],
  messaging: [4, 2, 2, 1],
  automation: [3, 1, 2, 2],
  meta: [3, 3, 0, 0]
}
