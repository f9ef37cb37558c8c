import type { TestOperator } from "./harness.ts"
import { toSampleWorld } from "./sample-world.ts"

const CONVERSATION_ID = "3k7m9p2q4r6s8t1v5w0x2y4z6a"

/** Returns the values of a world whose records are nowhere: for calls that are refused before any record is looked for. */
export const toImaginaryWorld = (operator: TestOperator) =>
  toSampleWorld({
    ...operator,
    today: "1970-01-01",
    property_id: 101,
    other_property_id: 102,
    stay_id: 103,
    transaction_id: 104,
    room_type_id: 105,
    group_id: 106,
    tag_id: 107,
    reservation_tag_id: 108,
    webhook_id: 109,
    delivery_id: "evt_110_109",
    staff_id: 111,
    task_id: 112,
    share_link_id: 113,
    channel_account_id: 114,
    calendar_id: 115,
    calendar_stay_code: "9-4E5F6A7B8C",
    feed_id: 116,
    knowledge_base_id: 117,
    plan_id: 118,
    rule_id: 119,
    paused_rule_id: 120,
    token_id: 121,
    grant_id: 122,
    sub_account_id: 123,
    disabled_account_id: 124,
    reservation_code: "5-0A1B2C3D4E",
    pending_code: "0-1B2C3D4E5F",
    reviewed_code: "0-2C3D4E5F6A",
    reviewing_code: "0-3D4E5F6A7B",
    listing_id: "0a1b2c3d4e",
    vrbo_listing_id: "1b2c3d4e5f",
    conversation_id: CONVERSATION_ID,
    last_message: "4n6p8q0r2s3t5v7w9x1y3z5a7b",
    special_offer_id: `O-${CONVERSATION_ID}`
  })
