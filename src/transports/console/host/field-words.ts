interface FieldWords {
  readonly label: string
  /** With its article, as in `Enter a price of at least 1.` */
  readonly noun?: string
  /** What to do if the field is empty. */
  readonly missing?: string
}

/** The host's words for the fields of the API, by the name of the field. */
export const FIELD_WORDS: Readonly<Record<string, FieldWords>> = {
  property_id: { label: "Property", noun: "a property", missing: "Choose a property." },
  property_ids: { label: "Properties", noun: "properties", missing: "Choose at least one property." },
  room_type_ids: { label: "Room types", missing: "Choose at least one room type." },
  room_type_id: { label: "Room type", missing: "Choose a room type." },
  listing_id: { label: "Listing", missing: "Choose a listing." },
  ratio: { label: "Price markup" },
  inventory: { label: "Available units", noun: "a number" },
  staff_id: { label: "Assigned to", missing: "Choose a staff member." },
  check_in_date: { label: "Check-in", missing: "Choose a check-in date." },
  check_out_date: { label: "Check-out", missing: "Choose a check-out date." },
  start_date: { label: "First day", missing: "Choose the first day." },
  end_date: { label: "Last day", missing: "Choose the last day." },
  date: { label: "Date", missing: "Choose a date." },
  price: { label: "Price", noun: "a price", missing: "Enter a price." },
  amount: { label: "Amount", noun: "an amount", missing: "Enter an amount." },
  currency: { label: "Currency", missing: "Choose a currency." },
  title: { label: "Name", missing: "Enter a name." },
  name: { label: "Name", missing: "Enter a name." },
  item_id: { label: "Category", missing: "Choose a category." },
  payment_method_id: { label: "Payment method", missing: "Choose a payment method." },
  number_of_guests: { label: "Guests", noun: "a number of guests", missing: "Enter the number of guests." },
  guest_name: { label: "Guest name", missing: "Enter the guest's name." },
  minimum_stay: { label: "Minimum stay", noun: "a minimum stay" },
  maximum_stay: { label: "Maximum stay", noun: "a maximum stay" },
  email: { label: "E-mail address", missing: "Enter an e-mail address." },
  content: { label: "Message", missing: "Write a message." },
  tag_name: { label: "Tag", missing: "Enter a tag." },
  url: { label: "iCal URL", missing: "Enter the iCal URL of the calendar." }
}
