import type { GuestPortalStay } from "../../src/domain/bookings/check-in/guest-portal-stay.ts"

/** A stay as its page opens it: of an accepted order, with a door code and nothing asked. */
export const makeGuestPortalStay = (overrides: Partial<GuestPortalStay> = {}): GuestPortalStay => ({
  operator_id: 1,
  id: 2,
  stay_code: "5-ABC",
  status: "accepted",
  expires_at: null,
  host_name: "Harbour",
  host_email: "host@example.test",
  time_zone: "Europe/Lisbon",
  title: "Harbour 1",
  address: null,
  latitude: null,
  longitude: null,
  check_in_date: "2027-05-04",
  check_out_date: "2027-05-07",
  check_in_time: "15:00",
  check_out_time: "11:00",
  guest_name: "Ada Lovelace",
  number_of_guests: 2,
  number_of_infants: 0,
  number_of_pets: 0,
  guests: [{ id: 7, name: "Ada Lovelace", images: 0 }],
  other_images: 0,
  identity_image_count: 0,
  arrival_at: null,
  lock_code: "4711",
  lock_code_visible_after: "15:00",
  id_required: "not_required",
  check_in_approved_at: null,
  ...overrides
})
