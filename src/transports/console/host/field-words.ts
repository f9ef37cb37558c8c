interface FieldWords {
  readonly label: string
  /** With its article, as in `Enter a price of at least 1.` */
  readonly noun?: string
  /** What to do if the field is empty. */
  readonly missing?: string
}

/** The host's words for the fields of the API, by the name of the field. */
export const FIELD_WORDS: Readonly<Record<string, FieldWords>> = {
  // Reservations.
  check_in_date: { label: "Check-in", missing: "Choose a check-in date." },
  check_out_date: { label: "Check-out", missing: "Choose a check-out date." },
  number_of_guests: { label: "Guests", noun: "a number of guests", missing: "Enter the number of guests." },
  number_of_adults: { label: "Adults", noun: "a number of adults", missing: "Enter the number of adults." },
  guest_name: { label: "Guest name", missing: "Enter the guest's name." },
  guest_email: { label: "E-mail address", missing: "Enter an e-mail address." },
  guest_phone: { label: "Phone", missing: "Enter a phone number." },
  mobile: { label: "Phone", missing: "Enter a phone number." },
  email: { label: "E-mail address", missing: "Enter an e-mail address." },
  remarks: { label: "Remarks" },
  custom_channel_id: { label: "Source", missing: "Choose a source." },
  rate_amount: { label: "Total price", noun: "a total price", missing: "Enter the total price." },
  commission_amount: { label: "Commission", noun: "a commission", missing: "Enter the commission, or 0." },
  received_amount: { label: "Amount paid", noun: "an amount paid", missing: "Enter the amount paid, or 0." },
  income_method_id: { label: "Payment method", missing: "Choose a payment method." },
  reservation_code: { label: "Reservation code", missing: "Enter a reservation code." },
  stay_code: { label: "Reservation code", missing: "Enter a reservation code." },
  stay_status: { label: "Status" },
  status: { label: "Status", missing: "Choose a status." },
  quote_id: { label: "Quote", missing: "Get a quote." },
  lock_code: { label: "Door code" },
  lock_code_visible_after: { label: "Door code shown from" },
  arrival_at: { label: "Arrival time" },
  departure_at: { label: "Departure time" },
  deposit: { label: "Deposit", noun: "a deposit" },
  id_required: { label: "Identity documents", missing: "Choose whether guests hand in documents." },
  custom_fields: { label: "Custom fields" },
  tag_name: { label: "Tag", missing: "Enter a tag." },
  tag_id: { label: "Tag", missing: "Choose a tag." },
  // Properties and channels.
  property_id: { label: "Property", noun: "a property", missing: "Choose a property." },
  property_ids: { label: "Properties", noun: "properties", missing: "Choose at least one property." },
  room_type_id: { label: "Room type", missing: "Choose a room type." },
  room_type_ids: { label: "Room types", missing: "Choose at least one room type." },
  group_id: { label: "Group", missing: "Choose a group." },
  groups: { label: "Groups" },
  listing_id: { label: "Listing", missing: "Choose a listing." },
  channel_type: { label: "Channel", missing: "Choose a channel." },
  channel_account_id: { label: "Channel account", missing: "Choose a channel account." },
  ratio: { label: "Price markup", noun: "a markup" },
  inventory: { label: "Available units", noun: "a number" },
  title: { label: "Name", missing: "Enter a name." },
  name: { label: "Name", missing: "Enter a name." },
  item_name: { label: "Name", missing: "Enter a name." },
  capacity: { label: "Guests", noun: "a number of guests", missing: "Enter the number of guests." },
  latitude: { label: "Latitude" },
  longitude: { label: "Longitude" },
  url: { label: "iCal URL", missing: "Enter the iCal URL of the calendar." },
  default_checkin_time: { label: "Check-in from" },
  default_checkout_time: { label: "Check-out by" },
  // Days and prices.
  start_date: { label: "First day", missing: "Choose the first day." },
  end_date: { label: "Last day", missing: "Choose the last day." },
  date: { label: "Date", missing: "Choose a date." },
  dates: { label: "Dates", missing: "Choose at least one day." },
  weekdays: { label: "Weekdays", missing: "Choose at least one weekday." },
  price: { label: "Price", noun: "a price", missing: "Enter a price." },
  prices: { label: "Prices", missing: "Enter a price." },
  ranges: { label: "Dates", missing: "Choose the first and the last day." },
  minimum_stay: { label: "Minimum stay", noun: "a minimum stay" },
  maximum_stay: { label: "Maximum stay", noun: "a maximum stay" },
  available: { label: "Available" },
  inventories: { label: "Availability", missing: "Enter how many are available." },
  // Money.
  amount: { label: "Amount", noun: "an amount", missing: "Enter an amount." },
  currency: { label: "Currency", missing: "Choose a currency." },
  item_id: { label: "Category", missing: "Choose a category." },
  payment_method_id: { label: "Payment method", missing: "Choose a payment method." },
  action_at: { label: "Date", missing: "Choose a date." },
  direction: { label: "Kind", missing: "Choose income or expense." },
  note: { label: "Note", missing: "Write a note." },
  // Tasks, team and messages.
  staff_id: { label: "Assigned to", missing: "Choose a staff member." },
  staff: { label: "Assigned to", missing: "Choose a staff member." },
  expected_date: { label: "Date", missing: "Choose a date." },
  expected_time: { label: "Time", missing: "Choose a time." },
  start_time: { label: "Start", missing: "Choose a start time." },
  end_time: { label: "End", missing: "Choose an end time." },
  type: { label: "Type", missing: "Choose a type." },
  level: { label: "Cleaning level", missing: "Choose a cleaning level." },
  text: { label: "Text", missing: "Write the text." },
  plan_id: { label: "Planned action" },
  special_offer_id: { label: "Offer" },
  content: { label: "Message", missing: "Write a message." },
  message: { label: "Message", missing: "Write a message." },
  jpeg_base64: { label: "Photo", missing: "Choose a photo." },
  conversation_id: { label: "Conversation", missing: "Choose a conversation." },
  contents: { label: "Sections", missing: "Write at least one section." },
  host_review_content: { label: "Review", missing: "Write a review." },
  host_review_score: { label: "Score", missing: "Choose a score." },
  overall_rating: { label: "Rating", missing: "Choose a rating." },
  category_ratings: { label: "Ratings" },
  host_reply_content: { label: "Reply", missing: "Write a reply." },
  password: { label: "Password", missing: "Enter a password." },
  trigger: { label: "When" },
  events: { label: "Events", missing: "Choose at least one event." },
  form_key: { label: "Form" }
}

const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Returns the label of the field, without underscores. */
export const toFieldLabel = (field: string): string =>
  (Object.hasOwn(FIELD_WORDS, field) ? FIELD_WORDS[field]?.label : undefined) ??
  capitalize(
    field
      .replace(/_ids?$/, "")
      .replaceAll(/_+/g, " ")
      .trim()
  )
