// Names end in their unit: `_MS` is milliseconds, `_LENGTH` characters, `_MAX` a count. Comments name the source of a
// value: the specification, the contract facts or an RFC. Internal tuning values stay in their modules.

export const BODY_BYTES = 1024 * 1024
export const IMAGE_BODY_BYTES = 20 * 1024 * 1024

/** JSON_PARTS_MAX limits fields and elements together. */
export const JSON_DEPTH_MAX = 32
export const JSON_PARTS_MAX = 20_000

/**
 * One message lists this many invalid fields, or REPORTED_NAMES_MAX unknown tool arguments. Each name is shortened to
 * REPORTED_NAME_LENGTH.
 */
export const REPORTED_FIELDS_MAX = 10
export const REPORTED_NAMES_MAX = 5
export const SELECTED_FIELDS_MAX = 64
export const SELECTED_FIELD_NAME_LENGTH = 40
export const SELECTED_FIELDS_TEXT_LENGTH = 1000
export const REPORTED_NAME_LENGTH = 50

/** Contract facts 0.2. */
export const PAGE_DEFAULT = 20
export const PAGE_MAX = 100

/** Specification, Other limits and constants. */
export const TRANSACTION_NOTE_LENGTH = 500
export const TRANSACTION_KEYWORD_LENGTH = 100
/** An operator's own entries, including retired ones. */
export const DICTIONARY_ENTRIES_MAX = 200
export const DICTIONARY_NAME_LENGTH = 50
/** Both ends count (specification, Other limits and constants). */
export const TRANSACTION_DAYS = 366
/** In major units. A JSON number holds twelve digits and three decimals exactly. */
export const AMOUNT_MAX = 999_999_999_999

/** Ids in one list (contract facts 6.1). */
export const IDS_MAX = 100
/** Comma-separated ids: 16 digits, a comma and a space each. */
export const IDS_LENGTH = IDS_MAX * 18
/** Also limits order ids of channels. */
export const RECORD_CODE_LENGTH = 100
/** Limit of the router. The schema of each parameter has a lower limit. */
export const PATH_PARAMETER_LENGTH = 16_384
/** ISO 8601 with nine decimals and an offset. */
export const INSTANT_TEXT_LENGTH = 35
/** ISO 8601 with six decimals. */
export const MICROSECOND_TEXT_LENGTH = 32

/** Including former keys. */
export const SECRET_KEYS_MAX = 8

/** Default of `operators.webhook_limit` (migration 0006_webhooks). */
export const WEBHOOK_SUBSCRIPTION_LIMIT = 200
export const WEBHOOK_URL_LENGTH = 2048
/** Length of a generated secret, and the range that Standard Webhooks allows. */
export const WEBHOOK_SECRET_BYTES = 32
export const WEBHOOK_SECRET_BYTES_MIN = 24
export const WEBHOOK_SECRET_BYTES_MAX = 64
/** If a message's time differs from the clock by more, the message may be a replay. */
export const WEBHOOK_SIGNATURE_SECONDS = 5 * 60
/** Time limit of one attempt, including the name lookup and the response. */
export const WEBHOOK_TRY_MS = 10_000
export const WEBHOOK_RESPONSE_BYTES = 64 * 1024
export const WEBHOOK_RESPONSE_STORED_BYTES = 512
/** Per subscription and process. */
export const WEBHOOK_CONCURRENT_DELIVERIES_MAX = 4
export const WEBHOOK_FIRST_RETRY_MS = 30_000
export const WEBHOOK_LONGEST_RETRY_MS = 6 * 60 * 60 * 1000
export const WEBHOOK_RETRY_JITTER = 0.25
export const WEBHOOK_ATTEMPTS = 22
/** Longest `Retry-After` that a retry respects. */
export const WEBHOOK_RETRY_AFTER_MS = 6 * 60 * 60 * 1000
/** Consecutive failures that start a cooldown, and its first and longest duration. */
export const WEBHOOK_BREAKER_FAILURES_MAX = 20
export const WEBHOOK_BREAKER_FIRST_MS = 30_000
export const WEBHOOK_BREAKER_LONGEST_MS = 30 * 60 * 1000
/** A subscription is paused after this time without success and at least this many failures. */
export const WEBHOOK_PAUSE_AFTER_MS = 5 * 24 * 60 * 60 * 1000
export const WEBHOOK_PAUSE_FAILURES_MAX = 5
/** For this time after a replacement, the former secret signs too. */
export const WEBHOOK_SECRET_OVERLAP_MS = 24 * 60 * 60 * 1000
/** A delivery that is overdue by this time becomes a dead letter if its subscription is in cooldown or paused. */
export const WEBHOOK_DEAD_LETTER_AFTER_MS = 3 * 24 * 60 * 60 * 1000
export const WEBHOOK_RETENTION_MS = 7 * 24 * 60 * 60 * 1000
export const WEBHOOK_DEAD_LETTER_RETENTION_MS = 30 * 24 * 60 * 60 * 1000

/** Test events: rate per operator, and concurrent ones per operator and per process. */
export const WEBHOOK_TESTS_A_MINUTE = 10
export const WEBHOOK_TESTS_OF_OPERATOR_MAX = 2
export const WEBHOOK_TESTS_MAX = 64
export const WEBHOOK_DELIVERIES_SHOWN = 20
export const WEBHOOK_TRIES_SHOWN = 50

/** Events with pending deliveries are kept longer. */
export const EVENT_RETENTION_MS = 30 * 24 * 60 * 60 * 1000
export const FEED_PAGE_DEFAULT = 100
export const FEED_PAGE_MAX = 500
export const FEED_EVENTS_SCANNED = 10_000
/** Longest wait of a long poll, and concurrent long polls per operator and process. */
export const FEED_WAIT_SECONDS = 20
export const FEED_WAITING_READS_MAX = 10
export const FEED_TYPES_LENGTH = 400
/** Default of `operators.event_consumer_limit` (migration 0011_feed). */
export const EVENT_CONSUMERS_MAX = 20
export const EVENT_CONSUMER_NAME_LENGTH = 50
/** Counting of a consumer's unacknowledged events stops at this number. */
export const FEED_LAG_COUNTED = 10_000
/** A consumer lags if its oldest unacknowledged event is older than this. */
export const FEED_LAG_MS = 30 * 60 * 1000

/** Including disabled accounts. */
export const ACCOUNTS_MAX = 200
/** Also limits names of operators and tokens. */
export const ACCOUNT_NAME_LENGTH = 100
/** RFC 5321 allows 256 characters, including the angle brackets. */
export const EMAIL_LENGTH = 254
/** PASSWORD_MAX bounds the time of hashing. */
export const PASSWORD_MIN = 12
export const PASSWORD_MAX = 200

/** Active tokens that users of an operator created. */
export const ACCESS_TOKENS_MAX = 200
export const ACCESS_TOKENS_SHOWN = 50

/** Messages in one MCP batch. After MCP_BATCH_BYTES of responses, no further call of the batch runs. */
export const MCP_BATCH_MESSAGES_MAX = 20
export const MCP_BATCH_BYTES = 4 * 1024 * 1024

/** HEADER_BYTES and HEADER_SECONDS limit the request line and headers, REQUEST_SECONDS the complete request. */
export const HEADER_BYTES = 16 * 1024
export const HEADER_SECONDS = 15
export const REQUEST_SECONDS = 30
/** Idle time before a connection is closed, longer than the 60 seconds of load balancers. */
export const KEEP_ALIVE_SECONDS = 65
/** Longest time in which a client reads no byte of its response. */
export const STALLED_SECONDS = 30
/** Open connections per process. A further connection replaces the longest idle one. */
export const CALLER_CONNECTIONS_MAX = 4_096

/** Calls in progress per process. An even number, because one operator's share is half. */
export const CONCURRENCY_PERMITS = 12
export const SHARED_READ_CONNECTIONS = 2
/** A list of more days does not use SharedReads, because counting its rows takes long. */
export const SHARED_READ_DAYS = 370
export const DATABASE_CONNECTIONS_MIN = 4
export const DATABASE_CONNECTIONS_MAX = 100
/** If calls are shorter on average, one operator may hold most permits, because they are soon free again. */
export const BRIEF_CALL_MS = 50
export const ANONYMOUS_PERMITS = 2
/** Replaces CONCURRENCY_PERMITS on the embedded database, whose one session also serves background work. */
export const EMBEDDED_PERMITS = 4
export const WORKERS_MAX = 64
/** Per operator. */
export const QUEUED_CALLS_MAX = 1_000
/** Total size of the bodies of one operator's queued calls. */
export const QUEUED_BYTES = 32 * 1024 * 1024
export const PERMIT_WAIT_MS = 30_000
/**
 * A call is queued if its estimated wait is at most BURST_WAIT_MS, or OVERLOADED_WAIT_MS during overload. Overload
 * begins when the queue has had more than OVERLOADED_WAIT_MS of work for OVERLOADED_AFTER_MS.
 */
export const BURST_WAIT_MS = 10_000
export const OVERLOADED_WAIT_MS = 1_000
export const OVERLOADED_AFTER_MS = 2_000
/**
 * For REJECTED_TOKEN_MS after a rejection for overload, calls with the same token are rejected at once. A process
 * remembers REJECTED_TOKENS_MAX tokens.
 */
export const REJECTED_TOKENS_MAX = 10_000
export const REJECTED_TOKEN_MS = 3_000
/** `Retry-After` when the service is too busy for a call, or already fetches the same calendar. */
export const BUSY_RETRY_SECONDS = 5

/** Contract facts 9. */
export const STAFF_NAME_LENGTH = 128
export const STAFF_NOTE_LENGTH = 500
export const TASK_NOTE_LENGTH = 500
/**
 * Characters that a note may have beyond TASK_NOTE_LENGTH, for the lines of automation. If the whole note is longer,
 * automation removes its oldest lines.
 */
export const AUTOMATIC_LINES_LENGTH = 500
/** Fewest digits without the country code, and most digits with it (ITU-T E.164). */
export const MOBILE_DIGITS_MIN = 4
export const MOBILE_DIGITS_MAX = 15
export const MOBILE_TEXT_LENGTH = 2 * MOBILE_DIGITS_MAX
/** Ids in one list of a staff member, share link, group or tag. */
export const NAMED_PROPERTIES_MAX = 1_000
/** Properties per page and per feed of a shared calendar. A feed has a whole number of pages. */
export const SHARED_PAGE_PROPERTIES_MAX = 50
export const SHARED_PART_PROPERTIES_MAX = 1_000
/** Both per share link. */
export const SHARED_PAGES_A_MINUTE = 60
export const SHARED_FEEDS_A_MINUTE = 10
/** Feeds of one property for its imported calendars. */
export const CALENDAR_FEEDS_MAX = 100
/** House calendars of one property. */
export const HOUSE_FEEDS_MAX = 10
/** Stays in one house calendar, those with the earliest check-in. */
export const HOUSE_FEED_STAYS_MAX = 500
/** Characters of one value in a house calendar, such as a name. Longer values are cut. */
export const HOUSE_FEED_VALUE_LENGTH = 100
/** Per feed. */
export const PROPERTY_FEED_READS_A_MINUTE = 30

/** Contract facts 7.1, 7.2. */
export const PROPERTY_TITLE_LENGTH = 100
export const PROPERTY_ADDRESS_LENGTH = 500
export const COORDINATE_LENGTH = 20
/** Contract facts 7.3. */
export const GROUP_NAME_LENGTH = 50
/** Contract facts 7.4; specification, Reservation tag. */
export const TAG_NAME_LENGTH = 15
/** Contract facts 3. */
export const TAG_KEYWORD_LENGTH = 50
/** Column defaults in migration 0003_portfolio (specification, Other limits and constants). */
export const PROPERTY_TAG_LIMIT = 500
export const RESERVATION_TAG_LIMIT = 500
export const SUBSCRIPTION_ROOMS_MAX = 100_000

/** Properties times days in one response: 100 properties for 366 days. */
export const AVAILABILITY_ANSWER_DAYS = 36_600
export const AVAILABILITY_CHANGE_DAYS = 36_600
/**
 * The first day is at most AVAILABILITY_START_DAYS before or after today, the last day at most AVAILABILITY_END_DAYS
 * after it.
 */
export const AVAILABILITY_START_DAYS = 366
export const AVAILABILITY_END_DAYS = 1_096
/** Base prices of older days are deleted. One day more than a caller can read, because of time zones. */
export const BASE_PRICE_RETENTION_DAYS = AVAILABILITY_START_DAYS + 1
export const AVAILABILITY_DATES_MAX = 1_097

export const STAY_NIGHTS = 1_096
/**
 * Longest range of dates in a search. A reservation search without filters covers this many days before and after
 * today.
 */
export const SEARCH_DAYS = 180
/** Specification, Other limits and constants. */
export const CHANNEL_ID_LENGTH = 32
/** Contract facts 2.4. */
export const RESERVATION_REMARKS_LENGTH = 500
export const RESERVATION_CREATOR_LENGTH = 50
export const GUEST_NAME_LENGTH = 100
export const GUEST_PHONE_LENGTH = 50
export const GUESTS_MAX = 99
/** Fees, and likewise taxes, of one property. */
export const PRICE_ITEMS_MAX = 20
export const PRICE_ITEM_NAME_LENGTH = 100
export const QUOTE_LIFETIME_MS = 30 * 60 * 1000
/** An expired quote is kept for this time, so that its use returns 409 and not 404. */
export const QUOTE_RETENTION_MS = 60 * 60 * 1000
export const RESERVATION_KEYWORD_MIN = 3
export const RESERVATION_KEYWORD_MAX = 100
export const LOCK_CODE_LENGTH = 50
export const CUSTOM_FIELDS_MAX = 100
export const CUSTOM_FIELD_NAME_LENGTH = 50
export const CUSTOM_FIELD_VALUE_LENGTH = 2_000
/** Total length of a stay's custom fields. */
export const CUSTOM_FIELDS_TEXT_LENGTH = 20_000
export const CUSTOM_FIELD_CHANGES_MAX = 2 * CUSTOM_FIELDS_MAX
/** Attempts in total. Attempts after ORDER_CHANGE_FREE_ATTEMPTS wait for the operator's lock. */
export const ORDER_CHANGE_ATTEMPTS = 12
export const ORDER_CHANGE_FREE_ATTEMPTS = 2
export const TASK_CHANGE_ATTEMPTS = 12

export const IDEMPOTENCY_KEY_LENGTH = 255
export const IDEMPOTENCY_RETENTION_MS = 24 * 60 * 60 * 1000
/** Longest wait for another call with the same key, and the `Retry-After` afterwards. */
export const IDEMPOTENCY_WAIT_MS = 10_000
export const IDEMPOTENCY_RETRY_SECONDS = 1
/** Also the retention of counts of failed calls. */
export const AUDIT_RETENTION_MS = 400 * 24 * 60 * 60 * 1000
export const AUDIT_DEFAULT = 100
export const AUDIT_MAX = 1_000
export const GUEST_COMMAND_ORDERS_MAX = 1_000
/** Kinds of failed calls that a process counts in memory. */
export const REJECTION_KINDS_MAX = 10_000

export const CHANNEL_ROOMS_MAX = 50
export const CHANNEL_RATE_DETAILS_MAX = 50
export const CHANNEL_TEXT_LENGTH = 2_000
export const LISTING_TEXT_LENGTH = 300
/** Both per operator. */
export const CHANNEL_ACCOUNTS_MAX = 100
export const LISTINGS_MAX = 20_000
/** Listings mapped to one property or room type. One response returns all of them. */
export const LISTINGS_PER_MAPPING = 100
/** Per structured field, as JSON text. */
export const LISTING_JSON_LENGTH = 20_000
/** Percent of the base price. */
export const RATIO_MAX = 1_000
export const LISTING_LIST_DEFAULT = 100
export const LISTING_LIST_MAX = 1_000
/** Deadlines of orders whose channel sends none. */
export const HOST_RESPONSE_DEADLINE_MS = 24 * 60 * 60 * 1000
export const PAYMENT_DEADLINE_MS = 24 * 60 * 60 * 1000

export const CHANNEL_TYPE_LENGTH = 20
/** Listings in one calendar read, and listings times days. */
export const LISTING_CALENDARS_READ_MAX = 100
export const LISTING_CALENDAR_DAYS = 36_600
/** Per operator and process. CALENDAR_READ_MS limits one call with all its listings. */
export const CONCURRENT_CALENDAR_READS_MAX = 4
export const CALENDAR_READ_MS = 30_000
/** Per operator and process. */
export const QUEUED_CALENDAR_READS_MAX = 32
export const CALENDAR_READ_WAIT_MS = 10_000
/** Date ranges in one change (contract facts 6.4). */
export const LISTING_RANGES_MAX = 400
/** Rooms per day. */
export const LISTING_INVENTORY_MAX = 1_000
/** Per listing. */
export const QUEUED_LISTING_PUSHES_MAX = 1_000
/** Listings to which one call of set_base_prices pushes. */
export const BASE_PRICE_LISTINGS_MAX = 500
/** Listings of a reconnected account that get their base prices in one statement. */
export const MISSED_PRICE_LISTINGS = 100
/** Unmapped listings in the response of set_base_prices. */
export const UNMAPPED_LISTINGS_SHOWN = 100
/** A push that its channel does not accept is abandoned at this age. */
export const LISTING_PUSH_GIVE_UP_MS = 24 * 60 * 60 * 1000
export const LISTING_PUSH_RETENTION_MS = 30 * 24 * 60 * 60 * 1000
export const SANDBOX_LISTINGS_MAX = 100
export const SANDBOX_ORDERS_MAX = 10_000
export const SANDBOX_ROOMS_MAX = 100
export const SANDBOX_PAYMENTS_MAX = 50
export const SANDBOX_LOGGED_REQUESTS_MAX = 200
export const SANDBOX_DELAY_MAX_MS = 10 * 60 * 1000
/** Payments per account that arrived before their order, and how long each is kept. */
export const PENDING_CHANNEL_PAYMENTS_MAX = 1_000
export const PENDING_CHANNEL_PAYMENT_MS = 90 * 24 * 60 * 60 * 1000
export const CHANNEL_REASON_LENGTH = 300

export const PROPERTY_CALENDARS_MAX = 20
export const IMPORTED_CALENDARS_MAX = 10_000
/** Manual fetches: rate per operator, and concurrent ones per process. */
export const IMPORTED_CALENDAR_FETCHES_A_MINUTE = 10
export const CONCURRENT_MANUAL_FETCHES_MAX = 16
export const CALENDAR_LIST_DEFAULT = 100
export const CALENDAR_LIST_MAX = 1_000
export const CALENDAR_FEED_BYTES = 2 * 1024 * 1024
export const CALENDAR_FEED_REDIRECTS_MAX = 3
export const CALENDAR_FEED_MS = 45_000
export const CALENDAR_FEED_EVENTS_MAX = 10_000
export const CALENDAR_FEED_ZONES_MAX = 100
export const CALENDAR_FEED_DEPTH_MAX = 8
export const CALENDAR_FEED_OCCURRENCES_MAX = 200_000
/** Further reasons are only counted. */
export const CALENDAR_UNREADABLE_REASONS_MAX = 5
/** For the worker thread that parses a calendar. The heap is in megabytes. */
export const CALENDAR_FEED_READ_MS = 5_000
export const CALENDAR_FEED_READ_MB = 192
/**
 * CALENDAR_FETCH_LONGEST_MS is the longest interval after failures. CALENDAR_RETRY_AFTER_MS is the longest
 * `Retry-After` that is respected.
 */
export const CALENDAR_FETCH_EVERY_MS = 15 * 60 * 1000
export const CALENDAR_FETCH_LONGEST_MS = 2 * 60 * 60 * 1000
export const CALENDAR_RETRY_AFTER_MS = 6 * 60 * 60 * 1000
/** CALENDAR_VALIDATOR_LENGTH limits an ETag or a Last-Modified date. */
export const CALENDAR_ERROR_LENGTH = 300
export const CALENDAR_VALIDATOR_LENGTH = 500
export const CALENDAR_DIGEST_LENGTH = 100
/**
 * A newly imported busy day counts as a feedback loop if the marketplace read it in a feed of this service within this
 * time.
 */
export const CALENDAR_FEEDBACK_LOOP_MS = 7 * 24 * 60 * 60 * 1000
/** Of one calendar: bookings read from a feed, and followed stays. Changes of stays after one fetch. Reported problems. */
export const CALENDAR_BOOKINGS_MAX = 1_000
export const CALENDAR_STAYS_MAX = 1_000
export const CALENDAR_STAY_CHANGES_MAX = 100
/** Codes that one fetch tries for a booking whose former reservations have ended. */
export const CALENDAR_STAY_CODE_TRIES = 10
export const CALENDAR_STAY_PROBLEMS_MAX = 20
export const CALENDAR_GUEST_NAME_LENGTH = 100
/** A stay is cancelled if its booking is missing from two fetches that are at least this far apart. */
export const CALENDAR_STAY_ABSENCE_MS = 15 * 60 * 1000
export const CALENDAR_DAY_RETENTION_MS = 28 * 24 * 60 * 60 * 1000

export const LISTING_RULE_DAYS = 3_650
export const LISTING_RULE_HOURS = 8_784
export const RULE_DISCOUNTS_MAX = 50
export const RULE_PERIODS_MAX = 400
export const RULE_PERIOD_FIELDS_MAX = 20
export const RULE_PERIOD_NAME_LENGTH = 50
export const RULE_PERIOD_TEXT_LENGTH = 100
export const RULE_TIME_LENGTH = 20
export const ELIGIBLE_POLICIES_MAX = 100

export const CONNECTORS_MAX = 100
export const CONNECTOR_NAME_LENGTH = 100
/** Shorter than CHANNEL_ACTION_TIMEOUT_MS of the callers (domain/channels/port/channel-api-errors.ts). */
export const CONNECTOR_REQUEST_MS = 25_000
export const CONNECTOR_RESPONSE_BYTES = 1024 * 1024
export const CONNECTOR_MESSAGES_A_MINUTE = 1_200
export const CONNECTOR_MESSAGE_ID_LENGTH = 100
/** Bodies that a process receives at once before authentication, and the time of each. */
export const CONCURRENT_CONNECTOR_BODIES_MAX = 64
export const CONNECTOR_BODY_MS = 5_000
/**
 * After this time, a body that is still arriving may lose its permit to a new message. It may lose it earlier if its
 * connector or network holds more permits.
 */
export const CONNECTOR_BODY_PROTECTED_MS = 1_000
/** Ids of inbound messages are kept against replays, longer than a signature is accepted. */
export const CONNECTOR_MESSAGE_RETENTION_MS = 60 * 60 * 1000

/** Channels may allow less (domain/channels/port/message-limits.ts). */
export const MESSAGE_LENGTH = 20_000
/** Specification, Other limits and constants. */
export const CONVERSATION_NOTE_LENGTH = 5_000
export const MESSAGES_SHOWN = 100
export const ACTIVITIES_SHOWN = 50
/** Per conversation: twice its rate limit for 24 hours (specification, Limits, layer 3). */
export const QUEUED_MESSAGES_MAX = 240
/**
 * Within this time, a channel's copy of our message is recognized by its text. CHANNEL_CLOCK_SKEW_MS is the allowed
 * clock skew.
 */
export const MESSAGE_FEEDBACK_LOOP_MS = 2 * 24 * 60 * 60 * 1000
export const CHANNEL_CLOCK_SKEW_MS = 5 * 60 * 1000
/** IMAGE_PIXELS_MAX limits the width and the height. */
export const IMAGE_BYTES = 5 * 1024 * 1024
export const IMAGE_PIXELS_MAX = 12_000
export const OPERATOR_IMAGES_BYTES = 5 * 1024 * 1024 * 1024
/** OFFER_VALIDITY_MS applies if the channel sends no expiry. */
export const OFFERS_SHOWN = 100
export const OFFER_VALIDITY_MS = 24 * 60 * 60 * 1000
export const REVIEW_TEXT_LENGTH = 10_000
export const REVIEW_CATEGORIES_MAX = 50
export const REVIEW_TAGS_MAX = 50
/** The last day must be less than this many days after the first (contract facts 5.1). */
export const REVIEW_SEARCH_DAYS = 180
/** An image as a base64 data URL. */
export const IMAGE_TEXT_LENGTH = 23 + Math.ceil(IMAGE_BYTES / 3) * 4
/** Age at which an image is deleted if no record refers to it. */
export const IMAGE_UNCLAIMED_MS = 60 * 60 * 1000
/** Per image. */
export const IMAGE_VIEWS_A_MINUTE = 60
/** An order gets an empty review record only within this many days after check-out. */
export const EMPTY_REVIEW_DAYS = 14
export const REVIEW_CHANGE_ATTEMPTS = 12
/** A message that its channel does not accept is abandoned at this age. */
export const MESSAGE_GIVE_UP_MS = 24 * 60 * 60 * 1000

/** Both rates are per stay. Forms with a photo may be larger than GUEST_PORTAL_FORM_BYTES. */
export const GUEST_PORTAL_VIEWS_A_MINUTE = 60
export const GUEST_PORTAL_FORMS_A_MINUTE = 20
export const GUEST_PORTAL_FORM_BYTES = 4 * 1024
/** Two sides and one spare photo. */
export const IDENTITY_IMAGES_A_GUEST = 3
/** Concurrent photo uploads per process, per operator and per stay. GUEST_PHOTO_MS is shorter than REQUEST_SECONDS. */
export const GUEST_PHOTOS_MAX = 16
export const GUEST_PHOTOS_OF_OPERATOR_MAX = 4
export const GUEST_PHOTOS_OF_STAY_MAX = 1
export const GUEST_PHOTO_MS = 25_000
export const SANDBOX_THREADS_MAX = 10_000
export const SANDBOX_MESSAGES_MAX = 5_000
export const SANDBOX_OFFERS_MAX = 100

export const KNOWLEDGE_BASES_MAX = 1_000
export const KNOWLEDGE_CONTENTS_MAX = 50
export const KNOWLEDGE_TITLE_LENGTH = 200
export const KNOWLEDGE_TEXT_LENGTH = 10_000
export const KNOWLEDGE_ENTRY_TEXT_LENGTH = 50_000
export const KNOWLEDGE_SCOPE_MAX = 1_000
/** Contract facts 10.1. */
export const KNOWLEDGE_PAGE_DEFAULT = 10
/** All channel types, separated by commas. */
export const CHANNEL_TYPES_TEXT_LENGTH = 300
/** A search examines this many characters of all unanswered messages together. */
export const QUESTION_LENGTH = 2_000

/** Including paused rules. */
export const AUTOMATION_RULES_MAX = 100
export const RULE_NAME_LENGTH = 100
export const RULE_TRIGGER_HOURS = 8_784
export const RULE_TRIGGER_DAYS = 366
export const AUTOMATION_RULE_NIGHTS = 3_650
export const RULE_PROPERTIES_MAX = 1_000
export const TEMPLATE_FIELDS_MAX = 50
/** Stays that the trial of a rule examines, and stays in each of its two lists. */
export const RULE_TRIAL_STAYS = 500
export const RULE_TRIAL_LISTED = 50
export const RULE_FILE_BYTES = 512 * 1024
/** Future days that are planned and listed (contract facts 10.2). */
export const PLANNED_DAYS = 30
/** An action that is late by more is skipped. */
export const PLAN_MAX_DELAY_MS = 24 * 60 * 60 * 1000
/** Pause between automatic answers in a conversation, and most of them in a row without a message from the host. */
export const AUTOMATIC_ANSWER_PAUSE_MS = 60_000
export const AUTOMATIC_ANSWERS_IN_A_ROW = 5
/** A plan is kept for this time after its scheduled time and after the check-out. */
export const PLAN_RETENTION_MS = 30 * 24 * 60 * 60 * 1000
export const ACTION_KEYWORD_LENGTH = 100
export const ACTION_ATTEMPTS = 5
export const QUESTION_EXPIRY_MS = 60 * 60 * 1000
export const QUESTIONS_PER_ANSWER = 20

/** Requests for tokens, revocation and registration. */
export const OAUTH_BODY_BYTES = 64 * 1024
export const OAUTH_FIELD_LENGTH = 500
/** SHA-256 in base64url without padding (RFC 7636). */
export const CODE_CHALLENGE_LENGTH = 43
export const CLIENT_NAME_LENGTH = 100
/** Including disabled clients. */
export const OAUTH_CLIENTS_MAX = 1_000
export const PARTNER_REDIRECTS_MAX = 20
export const GRANTS_REVOKED_AT_ONCE = 500
/** Wrong secrets in ten minutes before further ones are rejected unchecked (specification, Limits). */
export const FAILED_SECRET_CHECKS_MAX = 10
/** Registrations per network. */
export const REGISTRATIONS_A_MINUTE = 30
export const REGISTRATION_REDIRECTS_MAX = 10
export const REGISTRATION_LIST_MAX = 20
/** Redirect URIs of the public client. Of these, USED_REDIRECTS_MAX are kept because a host consented. */
export const REGISTERED_REDIRECTS_MAX = 10_000
export const USED_REDIRECTS_MAX = 5_000
export const SESSION_IDLE_MS = 12 * 60 * 60 * 1000
export const SESSION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000
export const SESSIONS_OF_ACCOUNT_MAX = 20
/**
 * Failed sign-ins are counted per e-mail address and network. From SIGN_IN_FAILURES_MAX on, each failure doubles the
 * wait before the next sign-in.
 */
export const SIGN_IN_FAILURES_MAX = 5
export const SIGN_IN_FIRST_WAIT_MS = 1_000
export const SIGN_IN_LONGEST_WAIT_MS = 5 * 60 * 1000
export const SIGN_IN_FAILURE_RESET_MS = 60 * 60 * 1000
/** For all e-mail addresses of one network. */
export const SIGN_IN_FAILURES_OF_NETWORK_MAX = 50
export const SIGN_IN_NETWORK_WINDOW_MS = 10 * 60 * 1000
/** Allowed clock skew between processes. A stored wait that is longer than the longest wait by more is ignored. */
export const SIGN_IN_CLOCK_SKEW_MS = 60 * 1000
/** Known browsers of an account, identified by a cookie. Each is kept for KNOWN_BROWSER_MS after its last sign-in. */
export const KNOWN_BROWSERS_MAX = 20
export const KNOWN_BROWSER_MS = 365 * 24 * 60 * 60 * 1000
/**
 * Concurrent password hashes for anonymous callers, and for known browsers. Each group has a queue of
 * QUEUED_HASHES_MAX. NETWORK_HASHES_MAX counts running and queued hashes of a network. A hash takes 32 MiB and a libuv
 * thread.
 */
export const ANONYMOUS_HASHES_MAX = 2
export const KNOWN_BROWSER_HASHES_MAX = 1
export const QUEUED_HASHES_MAX = 16
export const NETWORK_HASHES_MAX = 4
/** Requests are limited per network, permits per process. */
export const CONSOLE_REQUESTS_A_MINUTE = 600
export const CONSOLE_PERMITS = 4
export const CONSOLE_FORM_BYTES = 64 * 1024
export const HOST_FORM_BYTES = 256 * 1024
export const CONSOLE_FORM_MS = 20_000
export const REDIRECT_URI_LENGTH = 2_000
export const REDIRECT_SCHEME_LENGTH = 100
export const OAUTH_STATE_LENGTH = 2_000
/** Per authorization request. */
export const OAUTH_RESOURCES_MAX = 10
/** An authorization request in the sign-in URL, which must fit into HEADER_BYTES. */
export const PENDING_AUTHORIZATION_REQUEST_LENGTH = 12_000
/** OAUTH_TOKEN_MS: specification, Limits. */
export const OAUTH_CODE_MS = 60_000
export const OAUTH_TOKEN_MS = 7 * 24 * 60 * 60 * 1000
export const REFRESH_TOKEN_MS = 90 * 24 * 60 * 60 * 1000
/** For this time, inclusive, a client that lost the response of a renewal can request it again. */
export const REFRESH_GRACE_MS = 60_000
/** Valid access tokens of one grant, and its renewals per hour. */
export const GRANT_TOKENS_MAX = 10
export const GRANT_RENEWALS_MAX = 100
/** Both per account. Migration 0050_oauth repeats the values. */
export const OAUTH_CONNECTIONS_MAX = 100
export const OAUTH_CODES_MAX = 20
export const CONNECTIONS_SHOWN = 1_000
export const OAUTH_CODE_RETENTION_MS = 24 * 60 * 60 * 1000
export const GRANT_RETENTION_MS = 30 * 24 * 60 * 60 * 1000
export const TOKEN_RETENTION_MS = 30 * 24 * 60 * 60 * 1000
export const REFRESH_TOKEN_RETENTION_MS = 90 * 24 * 60 * 60 * 1000
export const BUFFERED_TOKEN_USES_MAX = 50_000
export const OVERVIEW_ROWS_MAX = 50
export const OVERVIEW_REQUESTS_MAX = 10
/** Names of failing records in one sentence. */
export const OVERVIEW_NAMES_MAX = 3
export const OVERVIEW_DAYS_FAILED = 7
export const OVERVIEW_THREADS_DAYS = 30
export const OVERVIEW_THREADS_SCANNED = 500
/** Days that the calendar shows at first, and at most. */
export const CALENDAR_DAYS = 30
export const CALENDAR_DAYS_MAX = 120
/** Rows of overlapping stays of a property in the calendar, besides the first. */
export const CALENDAR_LANES = 12
export const MONTH_PROPERTIES_MAX = 100
export const MONTH_STAYS_MAX = 5_000
export const MONTH_UNASSIGNED_STAYS_MAX = 100
/** Days of a selection in the calendar, and its properties if prices are set: each of them is a call. */
export const SELECTED_DAYS = 366
export const PRICED_PROPERTIES_MAX = 30
/** Properties or room types on the page of prices, and those that one form changes. */
export const PRICE_TARGETS_MAX = 20
export const PRICE_DAYS_SHOWN = 14
/** Listings below one property or room type. The latest PRICE_PUSHES_SCANNED pushes of each tell its prices. */
export const PRICE_LISTINGS_SHOWN = 20
export const PRICE_PUSHES_SCANNED = 100
/** Listings in the result of one change. */
export const PRICE_RESULTS_SHOWN = 100
/** Changes of more days, or with more characters of earlier prices, have no undo. */
export const PRICE_UNDO_DAYS = 62
export const PRICE_UNDO_LENGTH = 20_000
export const CHANNELS_LISTINGS_MAX = 50
export const FAILED_PUSHES_SHOWN = 50
export const LISTING_PUSHES_SHOWN = 30
export const CALENDARS_SHOWN = 100
export const HOUSE_CALENDARS_SHOWN = 100
export const SHARE_LINKS_SHOWN = 50
export const FORM_CHOICES_MAX = 1_000
export const PORTFOLIO_ROWS_MAX = 50
/** Listings, imported calendars and staff members that the page of a property names. */
export const PROPERTY_PAGE_ROWS_MAX = 30
export const STAFF_ROWS_MAX = 50
export const STAFF_PROPERTIES_NAMED_MAX = 3
export const RESERVATION_TAGS_SHOWN = 50
export const SUMS_SHOWN = 200
export const MONEY_CSV_LINES_MAX = 10_000
/** Latest transactions that the default payment method of a new one is chosen by. */
export const USUAL_METHOD_TRANSACTIONS = 50
export const RESERVATIONS_CSV_LINES_MAX = 2_000
/** Rows of the report. Its chart and its months count all properties. */
export const REPORT_PROPERTIES_MAX = 100
export const TASKS_SHOWN = 150
/** With more active staff members, a task is assigned on its own page instead of in its row. */
export const TASK_ROW_STAFF_MAX = 20
export const DAY_SHEET_TASKS_MAX = 300
export const TEST_STAYS_MAX = 20
export const RULE_TEXT_SHOWN = 300
export const ACTIONS_SHOWN = 50
/** Properties, groups and room types are limited separately. */
export const SCOPE_CHOICES_MAX = 500
export const KNOWLEDGE_SHOWN = 50
/** Parameter `record` of `GET /audit_log`: a dictionary name and a code. */
export const AUDIT_RECORD_LENGTH = 2 * RECORD_CODE_LENGTH
/** Changes shown. To find the changes of one person, ACTIVITY_LOG_SCANNED changes are scanned. */
export const ACTIVITY_LOG_SHOWN = 100
export const ACTIVITY_LOG_SCANNED = 5_000
export const STAY_SEARCH_ROWS_MAX = 50
export const PROPERTIES_OFFERED_MAX = 1_000
export const CONFLICTING_STAYS_MAX = 5
export const STAY_TASKS_MAX = 50
/** Latest messages and changes on the page of a stay. */
export const STAY_MESSAGES_SHOWN = 3
export const STAY_ACTIVITY_SHOWN = 20
export const TAGS_OFFERED_MAX = 100
export const MESSAGE_PREVIEW_LENGTH = 200
export const OFFERED_LISTINGS_MAX = 200
/** Longer query values are dropped from links and forms. */
export const CARRIED_QUERY_VALUE_LENGTH = 300
/** The sealed notice after a form of the console, with what its undo needs. */
export const NOTICE_LENGTH = 3_000
export const UNDO_OFFER_MS = 10_000
/** Characters of HTML. */
export const MESSAGES_PAGE_TEXT_LENGTH = 150_000
/** Characters of a mail's subject. */
export const MAIL_SUBJECT_LENGTH = 150
export const SMTP_CONNECTIONS_MAX = 2
/** Attempts of a mail that the mail server certainly did not accept. Together they take about 16 minutes. */
export const MAIL_ATTEMPTS = 6
/**
 * Mails to one address. Further notifications wait for the next mail. Further requests of links are ignored, without
 * telling the requester.
 */
export const NOTIFICATION_MAILS_AN_HOUR = 6
export const NOTIFICATION_MAILS_A_DAY = 48
export const VERIFICATION_MAILS_AN_HOUR = 3
/**
 * Reset mails to one address in RESET_LINK_MS. When the limit is reached, the links of these mails still work, so other
 * people's requests cannot lock the owner out.
 */
export const RESET_MAILS_PER_LINK_LIFETIME = 3
/** Requests of a password reset per network. */
export const RESET_REQUESTS_OF_NETWORK_AN_HOUR = 20
export const VERIFICATION_LINK_MS = 24 * 60 * 60 * 1000
export const RESET_LINK_MS = 30 * 60 * 1000
/** A link that could not be mailed in this time is not mailed any more. */
export const LINK_MAIL_MAX_AGE_MS = 60 * 60 * 1000
/** After a mail, further notifications of the account are gathered for this time. */
export const NOTIFICATION_GATHERING_MS = 10 * 60 * 1000
/** Notifications of one mail. Further ones are in the next mail. */
export const NOTIFICATIONS_OF_MAIL_MAX = 500
/** Notifications that a mail describes. It counts the others. */
export const NOTIFICATIONS_DESCRIBED_MAX = 20
/** Characters of a guest's first name, a property or a reason in a mail. */
export const NOTIFICATION_TEXT_LENGTH = 80
/** Older events notify nobody, for example messages that a channel sends for the first time after it is connected. */
export const NOTIFIED_EVENT_AGE_MS = 7 * 24 * 60 * 60 * 1000
/** A notification that could not be mailed in this time is not mailed any more. */
export const NOTIFICATION_MAX_AGE_MS = 24 * 60 * 60 * 1000
/** Must be longer than NOTIFIED_EVENT_AGE_MS, because the rows prevent a second notification. */
export const NOTIFICATION_RETENTION_MS = 30 * 24 * 60 * 60 * 1000
export const LINK_MAIL_RETENTION_MS = 2 * 24 * 60 * 60 * 1000
