import type { StayFacts } from "../../src/domain/automation/template-facts.ts"
import { makeGuestPortalStay } from "./guest-portal-stay.ts"

/** A stay as rules and templates see it: of an accepted order of a channel, booked a month before. */
export const makeStayFacts = (overrides: Partial<StayFacts> = {}): StayFacts => ({
  ...makeGuestPortalStay(),
  reservation_code: "HM-1",
  channel_type: "airbnb",
  booked_at: new Date("2027-04-04T12:00:00Z"),
  property_id: 3,
  is_last: true,
  custom_fields: null,
  guide_token: `lkguest_${"0".repeat(32)}`,
  ...overrides
})
