// The specification's numbers and whatever bounds a caller, each with a test at n and n + 1. What a module tunes for itself
// is in that module.

/** Largest request body in bytes (1 MiB); specification is silent, see docs/decisions.md. */
export const BODY_BYTES = 1024 * 1024
/** Largest request body in bytes where an image may be sent (20 MiB). */
export const IMAGE_BODY_BYTES = 20 * 1024 * 1024

/** Levels a JSON body may be nested, and fields and elements it may have: the largest list names 1,097 dates. */
export const JSON_DEPTH_MAX = 32
export const JSON_PARTS_MAX = 20_000

/** Wrong fields that one answer tells of, unknown arguments that a tool's does, and characters of a name either repeats. */
export const REPORTED_FIELDS_MAX = 10
export const REPORTED_NAMES_MAX = 5
/** Of `fields` of a list: most names, characters of one, and of all in one text. */
export const SELECTED_FIELDS_MAX = 64
export const SELECTED_FIELD_NAME_LENGTH = 40
export const SELECTED_FIELDS_TEXT_LENGTH = 1000
export const REPORTED_NAME_LENGTH = 50

/** Rows of a page when `limit` is not given, and the most that may be asked for (contract facts 0.2). */
export const PAGE_DEFAULT = 20
export const PAGE_MAX = 100

/** Characters of a transaction's note (specification, Other limits and constants). */
export const TRANSACTION_NOTE_LENGTH = 500
/** Characters of the text transactions are searched by. */
export const TRANSACTION_KEYWORD_LENGTH = 100
/** Entries of one's own that each dictionary has room for, retired ones among them, and characters of the name of one. */
export const DICTIONARY_ENTRIES_MAX = 200
export const DICTIONARY_NAME_LENGTH = 50
/** Days of GET /transactions, start_date and end_date included (specification, Other limits and constants). */
export const TRANSACTION_DAYS = 366
/** Largest amount of money in major units: twelve digits before the point stay exact as a JSON number with three after it. */
export const AMOUNT_MAX = 999_999_999_999

/** Ids in one comma-separated list or array (contract facts 6.1). */
export const IDS_MAX = 100
/** Characters of a comma-separated list: so many ids of sixteen digits, each with a comma and a space. */
export const IDS_LENGTH = IDS_MAX * 18
/** Characters of a reservation code, a stay code and a channel's own id of an order, wherever one is named. */
export const RECORD_CODE_LENGTH = 100
/** Characters of a path parameter that reach its field, whose own limit is lower. The HTTP server limits the whole path. */
export const PATH_PARAMETER_LENGTH = 16_384
/** Characters of a time in ISO 8601: date, time, nine decimals and an offset. */
export const INSTANT_TEXT_LENGTH = 35
/** Characters of a time in ISO 8601 with six decimals. */
export const MICROSECOND_TEXT_LENGTH = 32

/** Keys that SECRET_KEY may name: one at work, and those before it whose rows are not sealed anew yet. */
export const SECRET_KEYS_MAX = 8

/** Webhook subscriptions of an operator: the default of `operators.webhook_limit` (migration 0006_webhooks). */
export const WEBHOOK_SUBSCRIPTION_LIMIT = 200
/** Characters of a webhook subscription's URL. */
export const WEBHOOK_URL_LENGTH = 2048
/** Random bytes of a signing secret: what we make, and the range Standard Webhooks lets a receiver bring. */
export const WEBHOOK_SECRET_BYTES = 32
export const WEBHOOK_SECRET_BYTES_MIN = 24
export const WEBHOOK_SECRET_BYTES_MAX = 64
/** Seconds a delivery's clock and its receiver's may differ: an older one may be somebody's copy. */
export const WEBHOOK_SIGNATURE_SECONDS = 5 * 60
/** Milliseconds of one delivery try in total: name, connection, TLS, request and answer. */
export const WEBHOOK_TRY_MS = 10_000
/** Bytes of a receiver's answer that are read, and those of them that are kept for the delivery log. */
export const WEBHOOK_RESPONSE_BYTES = 64 * 1024
export const WEBHOOK_RESPONSE_STORED_BYTES = 512
/** Deliveries of one subscription that may be under way at once in a process. */
export const WEBHOOK_CONCURRENT_DELIVERIES_MAX = 4
/** Retries: the first pause, the longest pause (both ms), the share of a pause that is random, and all tries of one event. */
export const WEBHOOK_FIRST_RETRY_MS = 30_000
export const WEBHOOK_LONGEST_RETRY_MS = 6 * 60 * 60 * 1000
export const WEBHOOK_RETRY_JITTER = 0.25
export const WEBHOOK_ATTEMPTS = 22
/** The longest `Retry-After` of a webhook receiver that a retry respects, in milliseconds (six hours). */
export const WEBHOOK_RETRY_AFTER_MS = 6 * 60 * 60 * 1000
/** Failures in a row after which a subscription is given a rest: by then the events of a burst had their first retry. */
export const WEBHOOK_BREAKER_FAILURES_MAX = 20
/** Milliseconds of the first rest and of the longest. */
export const WEBHOOK_BREAKER_FIRST_MS = 30_000
export const WEBHOOK_BREAKER_LONGEST_MS = 30 * 60 * 1000
/** Milliseconds without one success after which a failing subscription is paused (five days), and failures it takes. */
export const WEBHOOK_PAUSE_AFTER_MS = 5 * 24 * 60 * 60 * 1000
export const WEBHOOK_PAUSE_FAILURES_MAX = 5
/** Milliseconds a replaced signing secret goes on signing beside the new one (24 hours). */
export const WEBHOOK_SECRET_OVERLAP_MS = 24 * 60 * 60 * 1000
/** Milliseconds a delivery that is due may go without a try (its receiver rests or is paused): then it is a dead letter. */
export const WEBHOOK_DEAD_LETTER_AFTER_MS = 3 * 24 * 60 * 60 * 1000
/** Milliseconds that deliveries made and their tries are kept, and dead letters (seven and thirty days). */
export const WEBHOOK_RETENTION_MS = 7 * 24 * 60 * 60 * 1000
export const WEBHOOK_DEAD_LETTER_RETENTION_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Test events that an operator may send in a minute, those of them that may be under way at once in a process, and those of all
 * operators together.
 */
export const WEBHOOK_TESTS_A_MINUTE = 10
export const WEBHOOK_TESTS_OF_OPERATOR_MAX = 2
export const WEBHOOK_TESTS_MAX = 64
/** Deliveries that a page of the console shows of a subscription, and tries that a list of deliveries tells of each: the latest. */
export const WEBHOOK_DELIVERIES_SHOWN = 20
export const WEBHOOK_TRIES_SHOWN = 50

/** Milliseconds an event is kept after it came into the feed (thirty days), and longer while a delivery needs it. */
export const EVENT_RETENTION_MS = 30 * 24 * 60 * 60 * 1000
/** Events of one page of the feed when `limit` is not given, and the most that may be asked for. */
export const FEED_PAGE_DEFAULT = 100
export const FEED_PAGE_MAX = 500
/** Events that one read which is narrowed looks through. */
export const FEED_EVENTS_SCANNED = 10_000
/** Seconds an answer of the feed may wait for an event, and answers of one operator that may wait at once in a process. */
export const FEED_WAIT_SECONDS = 20
export const FEED_WAITING_READS_MAX = 10
/** Characters of a list of names of events. */
export const FEED_TYPES_LENGTH = 400
/** Consumers an operator has room for; `operators` has a column for it (migration 0011_feed). Characters of a name. */
export const EVENT_CONSUMERS_MAX = 20
export const EVENT_CONSUMER_NAME_LENGTH = 50
/** Events that are counted of what a consumer has not acknowledged: each acknowledgement counts. */
export const FEED_LAG_COUNTED = 10_000
/** Milliseconds that an event may go unacknowledged until its consumer lags (thirty minutes). */
export const FEED_LAG_MS = 30 * 60 * 1000

/** Sub-accounts of an operator, disabled ones among them. */
export const ACCOUNTS_MAX = 200
/** Characters of an operator's, an account's and a token's name. */
export const ACCOUNT_NAME_LENGTH = 100
/** Characters of an e-mail address (RFC 5321: 256 with the brackets around it). */
export const EMAIL_LENGTH = 254
/** Characters of a new password. An older password may be shorter. The maximum limits the time that hashing takes. */
export const PASSWORD_MIN = 12
export const PASSWORD_MAX = 200

/** Access tokens of an operator that were made by its people and work, and how many of them a page of the console shows. */
export const ACCESS_TOKENS_MAX = 200
export const ACCESS_TOKENS_SHOWN = 50

/** Messages in one batch of MCP, notifications among them, and bytes its calls are answered with before none is run any more. */
export const MCP_BATCH_MESSAGES_MAX = 20
export const MCP_BATCH_BYTES = 4 * 1024 * 1024

/** Bytes of a request line and the headers after it. */
export const HEADER_BYTES = 16 * 1024
/** Seconds in which the headers of a request must arrive, and the whole request with its body. */
export const HEADER_SECONDS = 15
export const REQUEST_SECONDS = 30
/**
 * Seconds for which an idle connection is kept after its last response: longer than load balancers keep theirs (60). `HEADER_SECONDS`
 * limits a connection without a first request.
 */
export const KEEP_ALIVE_SECONDS = 65
/** Seconds a client may take not one byte of the answer that is being written to it. */
export const STALLED_SECONDS = 30
/** Connections of callers to one process. For one more the longest idle one makes room. */
export const CALLER_CONNECTIONS_MAX = 4_096

/** Calls a process works on at once: runs their statements, builds their answers. An even number, as half goes to one operator. */
export const CONCURRENCY_PERMITS = 12
/** Connections of a process to a server that its short reads share, such as the lookup of a token. */
export const SHARED_READ_CONNECTIONS = 2
/** Days that a page of a list may span and still be read on a shared connection: counting its rows takes milliseconds. */
export const SHARED_READ_DAYS = 370
/** Bounds of `DATABASE_CONNECTIONS`, the connections of a process for requests: two permits at least, and as many as a server can use. */
export const DATABASE_CONNECTIONS_MIN = 4
export const DATABASE_CONNECTIONS_MAX = 100
/** Mean milliseconds of recent calls below which calls are brief: a permit that another operator holds is free again by then. */
export const BRIEF_CALL_MS = 50
/** Calls without a token that a process runs at once, beside the calls with a token. */
export const ANONYMOUS_PERMITS = 2
/** Permits on the embedded database, whose one session calls share with background work. */
export const EMBEDDED_PERMITS = 4
/** Processes that `serve --workers` starts at most. */
export const WORKERS_MAX = 64
/** Calls of one operator that may be queued for a permit. */
export const QUEUED_CALLS_MAX = 1_000
/** Bytes of bodies that the queued calls of one operator may keep in memory together (32 MiB). */
export const QUEUED_BYTES = 32 * 1024 * 1024
/** Milliseconds that a call may wait for a permit. */
export const PERMIT_WAIT_MS = 30_000
/**
 * The process queues a call if its estimated wait is at most BURST_WAIT_MS, or OVERLOADED_WAIT_MS while the process is overloaded. It is
 * overloaded once the queue has exceeded OVERLOADED_WAIT_MS of work for OVERLOADED_AFTER_MS. So a burst is served, and of a stream that
 * exceeds the throughput the excess is rejected at once.
 */
export const BURST_WAIT_MS = 10_000
export const OVERLOADED_WAIT_MS = 1_000
export const OVERLOADED_AFTER_MS = 2_000
/** Tokens of calls rejected for overload that a process remembers, to reject their next call at once, and milliseconds that it does. */
export const REJECTED_TOKENS_MAX = 10_000
export const REJECTED_TOKEN_MS = 3_000
/** Seconds after which to retry a call that got no concurrency permit in time, or met a calendar fetch in progress. */
export const BUSY_RETRY_SECONDS = 5

/** Characters of a staff member's name and of the notes on staff and on tasks (contract facts 9). */
export const STAFF_NAME_LENGTH = 128
export const STAFF_NOTE_LENGTH = 500
export const TASK_NOTE_LENGTH = 500
/** Digits of a mobile number after its country code, and with it (ITU-T E.164). */
export const MOBILE_DIGITS_MIN = 4
export const MOBILE_DIGITS_MAX = 15
/** Characters of a mobile number: its plus sign, and each digit parted from the next. */
export const MOBILE_TEXT_LENGTH = 2 * MOBILE_DIGITS_MAX
/** Properties or room types that one list names one by one: a staff member's, a share link's, a group's, a tag's. */
export const NAMED_PROPERTIES_MAX = 1_000
/** Properties on one page of a shared calendar, and in one part of its feed: a whole number of pages. */
export const SHARED_PAGE_PROPERTIES_MAX = 50
export const SHARED_PART_PROPERTIES_MAX = 1_000
/** Times a minute that pages of one share link are answered, and that its feed is: a part of it is a thousand properties. */
export const SHARED_PAGES_A_MINUTE = 60
export const SHARED_FEEDS_A_MINUTE = 10
/** Feeds of one property beside its own: one for the source of each calendar that it imports, or did. */
export const CALENDAR_FEEDS_MAX = 100
/** Times a minute that one feed of a property is read, by whoever has its address: marketplaces do so a few times an hour. */
export const PROPERTY_FEED_READS_A_MINUTE = 30

/** Characters of the title of a property and of a room type (contract facts 7.1, 7.2). */
export const PROPERTY_TITLE_LENGTH = 100
/** Characters of a property's address, and of its longitude and latitude. */
export const PROPERTY_ADDRESS_LENGTH = 500
export const COORDINATE_LENGTH = 20
/** Characters of a group's name (contract facts 7.3). */
export const GROUP_NAME_LENGTH = 50
/** Characters of the name of a property tag and of a reservation tag (contract facts 7.4; specification, Reservation tag). */
export const TAG_NAME_LENGTH = 15
/** Characters of the text reservation tags are searched by (contract facts 3). */
export const TAG_KEYWORD_LENGTH = 50
/**
 * Tags a new operator has room for (specification, Other limits and constants); `operators` has a column for each
 * (migration 0003_portfolio), and one for rooms and for room types, which are the subscription's.
 */
export const PROPERTY_TAG_LIMIT = 500
export const RESERVATION_TAG_LIMIT = 500
/** Most rooms, and most room types, a subscription can be given. */
export const SUBSCRIPTION_ROOMS_MAX = 100_000

/** Days of properties, the properties times the days of each, that one answer tells: a hundred properties for a year. */
export const AVAILABILITY_ANSWER_DAYS = 36_600
/** Days of properties that one change of availability may name. */
export const AVAILABILITY_CHANGE_DAYS = 36_600
/** How far from today a read of availability may start, and how far ahead it and a change may end, in days. */
export const AVAILABILITY_START_DAYS = 366
export const AVAILABILITY_END_DAYS = 1_096
/** Single days one change may name: every day that can be changed. */
export const AVAILABILITY_DATES_MAX = 1_097

/** Nights of one stay: what availability can be changed ahead. */
export const STAY_NIGHTS = 1_096
/** Days a search by check-in covers, end minus start, and days around today that a search without filters covers. */
export const SEARCH_DAYS = 180
/** Characters of a channel_id of a created order (specification, Other limits and constants). */
export const CHANNEL_ID_LENGTH = 32
/** Characters of remarks, creator, guest name and phone, and most guests of a stay (contract facts 2.4). */
export const RESERVATION_REMARKS_LENGTH = 500
export const RESERVATION_CREATOR_LENGTH = 50
export const GUEST_NAME_LENGTH = 100
export const GUEST_PHONE_LENGTH = 50
export const GUESTS_MAX = 99
/** Characters of the keyword of a reservation search. The minimum keeps searches narrow. */
export const RESERVATION_KEYWORD_MIN = 3
export const RESERVATION_KEYWORD_MAX = 100
/** Characters of a lock code. */
export const LOCK_CODE_LENGTH = 50
/** Custom fields of a stay, and characters of a name and of a value. */
export const CUSTOM_FIELDS_MAX = 100
export const CUSTOM_FIELD_NAME_LENGTH = 50
export const CUSTOM_FIELD_VALUE_LENGTH = 2_000
/** Characters of all values of a stay's custom fields together: a page of a hundred stays has them all. */
export const CUSTOM_FIELDS_TEXT_LENGTH = 20_000
/** Custom fields that one change may name: all there can be, removed, and as many set in their place. */
export const CUSTOM_FIELD_CHANGES_MAX = 2 * CUSTOM_FIELDS_MAX
/**
 * How often a change of an order is worked out because the order had changed meanwhile, and how many of these times
 * without queueing with the operator's other changes that meet such trouble.
 */
export const ORDER_CHANGE_ATTEMPTS = 12
export const ORDER_CHANGE_FREE_ATTEMPTS = 2
/** How often a change of a task is judged because what it is judged by had changed meanwhile. */
export const TASK_CHANGE_ATTEMPTS = 12

/** Characters of an Idempotency-Key, and milliseconds it is kept at least (24 hours). */
export const IDEMPOTENCY_KEY_LENGTH = 255
export const IDEMPOTENCY_RETENTION_MS = 24 * 60 * 60 * 1000
/** Milliseconds a call waits for another with its key, and seconds after which one that waited as long may be repeated. */
export const IDEMPOTENCY_WAIT_MS = 10_000
export const IDEMPOTENCY_RETRY_SECONDS = 1
/** Milliseconds the trail of changes is kept, and the counts of what was refused (400 days). */
export const AUDIT_RETENTION_MS = 400 * 24 * 60 * 60 * 1000
/** Changes that `latchkey audit` lists when `--limit` is not given, and the most that may be asked for. */
export const AUDIT_DEFAULT = 100
export const AUDIT_MAX = 1_000
/** Orders and conversations that `latchkey guest` works on at once. */
export const GUEST_COMMAND_ORDERS_MAX = 1_000
/** Kinds of refusals (whose, by which application, of what, why, in which hour) a process counts at once before they are written down. */
export const REJECTION_KINDS_MAX = 10_000

/**
 * Rooms of one order of a channel, what the rate of one is made of, characters of a longer text a channel says, and of a
 * listing's title.
 */
export const CHANNEL_ROOMS_MAX = 50
export const CHANNEL_RATE_DETAILS_MAX = 50
export const CHANNEL_TEXT_LENGTH = 2_000
export const LISTING_TEXT_LENGTH = 300
/** Accounts at channels an operator may have, and listings of all of them together. */
export const CHANNEL_ACCOUNTS_MAX = 100
export const LISTINGS_MAX = 20_000
/** Listings that may be linked to one property or one room type: all are told in one answer. */
export const LISTINGS_PER_MAPPING = 100
/** Characters, as JSON, of whatever else a channel says of a listing, and of the settings that are recorded of it. */
export const LISTING_JSON_LENGTH = 20_000
/** Largest ratio of a listing, in percent of the base price of its link. */
export const RATIO_MAX = 1_000
/** Listings that `latchkey listing list` lists when `--limit` is not given, and the most that may be asked for. */
export const LISTING_LIST_DEFAULT = 100
export const LISTING_LIST_MAX = 1_000
/** Milliseconds a request waits for the host's answer, and an agreed order for its payment, if its channel says no time (24 hours). */
export const HOST_RESPONSE_DEADLINE_MS = 24 * 60 * 60 * 1000
export const PAYMENT_DEADLINE_MS = 24 * 60 * 60 * 1000

/** Characters of a channel_type. */
export const CHANNEL_TYPE_LENGTH = 20
/** Listings whose calendars one call reads, and those times the days of each: a hundred listings for a year. */
export const LISTING_CALENDARS_READ_MAX = 100
export const LISTING_CALENDAR_DAYS = 36_600
/** Calls of one operator that may be reading calendars at once in a process, and the milliseconds each may take in all. */
export const CONCURRENT_CALENDAR_READS_MAX = 4
export const CALENDAR_READ_MS = 30_000
/** Queued calendar reads of one operator in a process, and the milliseconds for which each may be queued. */
export const QUEUED_CALENDAR_READS_MAX = 32
export const CALENDAR_READ_WAIT_MS = 10_000
/** Ranges of days that one change of a listing's prices, inventories or restrictions names (contract facts 6.4). */
export const LISTING_RANGES_MAX = 400
/** How many of a listing can be for sale on a day. */
export const LISTING_INVENTORY_MAX = 1_000
/** Changes of one listing that may wait to be told to its channel. */
export const QUEUED_LISTING_PUSHES_MAX = 1_000
/** Milliseconds after which a change that its channel does not take is given up, and that one is kept when it is settled. */
export const LISTING_PUSH_GIVE_UP_MS = 24 * 60 * 60 * 1000
export const LISTING_PUSH_RETENTION_MS = 30 * 24 * 60 * 60 * 1000
/** Sandbox: listings of one account, orders of one account, rooms of one listing, and payments of one order. */
export const SANDBOX_LISTINGS_MAX = 100
export const SANDBOX_ORDERS_MAX = 10_000
export const SANDBOX_ROOMS_MAX = 100
export const SANDBOX_PAYMENTS_MAX = 50
/** Sandbox: the last things an account was asked that are kept, and the longest it may be told to be late (milliseconds). */
export const SANDBOX_LOGGED_REQUESTS_MAX = 200
export const SANDBOX_DELAY_MAX_MS = 10 * 60 * 1000
/** Payments and refunds of one account that wait for their order, and milliseconds they do (ninety days). */
export const PENDING_CHANNEL_PAYMENTS_MAX = 1_000
export const PENDING_CHANNEL_PAYMENT_MS = 90 * 24 * 60 * 60 * 1000
/** Characters of what a channel says about a refusal, as its caller is told of it. */
export const CHANNEL_REASON_LENGTH = 300

/** Calendars of elsewhere that one property may follow, and all properties of an operator together. */
export const PROPERTY_CALENDARS_MAX = 20
export const IMPORTED_CALENDARS_MAX = 10_000
/** Fetches of imported calendars: calls of one operator a minute, and operators that fetch at once in a process. */
export const IMPORTED_CALENDAR_FETCHES_A_MINUTE = 10
export const CONCURRENT_MANUAL_FETCHES_MAX = 16
/** Calendars that `latchkey calendar list` lists when `--limit` is not given, and the most that may be asked for. */
export const CALENDAR_LIST_DEFAULT = 100
export const CALENDAR_LIST_MAX = 1_000
/** Bytes of such a calendar (2 MiB), redirects on the way to it, and milliseconds in which it must have come. */
export const CALENDAR_FEED_BYTES = 2 * 1024 * 1024
export const CALENDAR_FEED_REDIRECTS_MAX = 3
export const CALENDAR_FEED_MS = 45_000
/** Events and time zones of one calendar, how deep its components may be nested, and occurrences that are looked at in all. */
export const CALENDAR_FEED_EVENTS_MAX = 10_000
export const CALENDAR_FEED_ZONES_MAX = 100
export const CALENDAR_FEED_DEPTH_MAX = 8
export const CALENDAR_FEED_OCCURRENCES_MAX = 200_000
/** Reasons that the report of an imported calendar names for unreadable parts. Further reasons are only counted. */
export const CALENDAR_UNREADABLE_REASONS_MAX = 5
/** Milliseconds of reading one calendar, which another thread does, and megabytes it may take there. */
export const CALENDAR_FEED_READ_MS = 5_000
export const CALENDAR_FEED_READ_MB = 192
/** Milliseconds between two fetches of a calendar, the longest pause while it fails, and the longest its host may ask for. */
export const CALENDAR_FETCH_EVERY_MS = 15 * 60 * 1000
export const CALENDAR_FETCH_LONGEST_MS = 2 * 60 * 60 * 1000
export const CALENDAR_RETRY_AFTER_MS = 6 * 60 * 60 * 1000
/** Characters of what is told of why a calendar could not be fetched, and of an ETag or time that is sent back to its host. */
export const CALENDAR_ERROR_LENGTH = 300
export const CALENDAR_VALIDATOR_LENGTH = 500
/** Characters of the digest of a calendar's feed in a call that accepts the feed. */
export const CALENDAR_DIGEST_LENGTH = 100
/**
 * Milliseconds for which a day that a calendar says for the first time may repeat what its source was told here (a week):
 * longer than a service that was away had to read what was booked before.
 */
export const CALENDAR_FEEDBACK_LOOP_MS = 7 * 24 * 60 * 60 * 1000
/** Milliseconds that past days of imported calendars are kept (four weeks). */
export const CALENDAR_DAY_RETENTION_MS = 28 * 24 * 60 * 60 * 1000

/** Days and nights that a rule of a listing may count (ten years), and the hours of notice it may want (a leap year). */
export const LISTING_RULE_DAYS = 3_650
export const LISTING_RULE_HOURS = 8_784
/** Steps of one discount, and days or seasons with nights of their own. */
export const RULE_DISCOUNTS_MAX = 50
export const RULE_PERIODS_MAX = 400
/** Fields of such a day or season, and characters of a field's name and of a text in it. */
export const RULE_PERIOD_FIELDS_MAX = 20
export const RULE_PERIOD_NAME_LENGTH = 50
export const RULE_PERIOD_TEXT_LENGTH = 100
/** Characters of a time of a channel that keeps it as text, such as `16:00`. */
export const RULE_TIME_LENGTH = 20
/** Cancellation policies that one listing may choose from. */
export const ELIGIBLE_POLICIES_MAX = 100

/** Connectors over HTTP that a deployment has, and characters of the name of one. */
export const CONNECTORS_MAX = 100
export const CONNECTOR_NAME_LENGTH = 100
/** Milliseconds a connector has for one act, less than whoever waits for it (domain/channels/port/channel-api-errors.ts), and bytes of its answer. */
export const CONNECTOR_REQUEST_MS = 25_000
export const CONNECTOR_RESPONSE_BYTES = 1024 * 1024
/** Messages a minute that one connector may say, and characters of the id of one. */
export const CONNECTOR_MESSAGES_A_MINUTE = 1_200
export const CONNECTOR_MESSAGE_ID_LENGTH = 100
/** Bodies that are read at once before anybody knows who sent them, and the milliseconds each may take to arrive. */
export const CONCURRENT_CONNECTOR_BODIES_MAX = 64
export const CONNECTOR_BODY_MS = 5_000
/** Milliseconds during which a body cannot be evicted by a message whose connector and network hold as many permits as its own. */
export const CONNECTOR_BODY_PROTECTED_MS = 1_000
/** Milliseconds for which a message that was heard is known again: much longer than a signature of it is taken (one hour). */
export const CONNECTOR_MESSAGE_RETENTION_MS = 60 * 60 * 1000

/** Characters of a message, whatever its channel; a channel may have less (domain/channels/port/message-limits.ts). */
export const MESSAGE_LENGTH = 20_000
/** Characters of the host's note on a conversation (specification, Other limits and constants). */
export const CONVERSATION_NOTE_LENGTH = 5_000
/** Messages of a conversation that are told at once, and what it is about. */
export const MESSAGES_SHOWN = 100
export const ACTIVITIES_SHOWN = 50
/** Messages of one conversation that may wait to be sent: twice what layer 3 lets through in a day. */
export const QUEUED_MESSAGES_MAX = 240
/**
 * Milliseconds after it was written in which a message may come back from its channel without our name for it, and still be
 * known by its text: longer than it is tried for; and by how much that channel's clock may be behind.
 */
export const MESSAGE_FEEDBACK_LOOP_MS = 2 * 24 * 60 * 60 * 1000
export const CHANNEL_CLOCK_SKEW_MS = 5 * 60 * 1000
/** Bytes of an image (5 MiB), its pixels each way, and bytes that all images of an operator may have together (5 GiB). */
export const IMAGE_BYTES = 5 * 1024 * 1024
export const IMAGE_PIXELS_MAX = 12_000
export const OPERATOR_IMAGES_BYTES = 5 * 1024 * 1024 * 1024
/** Offers of a conversation that are told at once, and milliseconds one is good for if its channel says no time. */
export const OFFERS_SHOWN = 100
export const OFFER_VALIDITY_MS = 24 * 60 * 60 * 1000
/** Characters of a review and of a reply, categories of one, and tags of a category. */
export const REVIEW_TEXT_LENGTH = 10_000
export const REVIEW_CATEGORIES_MAX = 50
export const REVIEW_TAGS_MAX = 50
/** Days between the ends of a search for reviews, less than which it must be (contract facts 5.1). */
export const REVIEW_SEARCH_DAYS = 180
/** Characters of an image as base64, with what a data URL has before it. */
export const IMAGE_TEXT_LENGTH = 23 + Math.ceil(IMAGE_BYTES / 3) * 4
/** Milliseconds for which an image is kept that nothing refers to yet (one hour). */
export const IMAGE_UNCLAIMED_MS = 60 * 60 * 1000
/** Times a minute that one image is looked at, by whoever has its address. */
export const IMAGE_VIEWS_A_MINUTE = 60
/** Days after its last check-out that the empty record of an order still appears; an older one waits for its channel's word. */
export const EMPTY_REVIEW_DAYS = 14
/** How often a review is worked out anew while others change it. */
export const REVIEW_CHANGE_ATTEMPTS = 12
/** Milliseconds after which a message that its channel does not take is given up (24 hours). */
export const MESSAGE_GIVE_UP_MS = 24 * 60 * 60 * 1000

/** Looks at the page of a stay, and forms sent there, in a minute; bytes of a form without a photo. */
export const GUEST_PORTAL_VIEWS_A_MINUTE = 60
export const GUEST_PORTAL_FORMS_A_MINUTE = 20
export const GUEST_PORTAL_FORM_BYTES = 4 * 1024
/** Photos of identity documents that a stay takes for each of its guests: two sides, and one that was no good. */
export const IDENTITY_IMAGES_A_GUEST = 3
/**
 * Photos that may be arriving at once, in a process, of one operator's guests and of one stay's, and the milliseconds each has:
 * less than a whole request.
 */
export const GUEST_PHOTOS_MAX = 16
export const GUEST_PHOTOS_OF_OPERATOR_MAX = 4
export const GUEST_PHOTOS_OF_STAY_MAX = 1
export const GUEST_PHOTO_MS = 25_000
/** Sandbox: threads of one account, messages of one thread, and offers in it. */
export const SANDBOX_THREADS_MAX = 10_000
export const SANDBOX_MESSAGES_MAX = 5_000
export const SANDBOX_OFFERS_MAX = 100

/** Entries of the knowledge base of an operator, contents of one, and characters of a title, of a content, and of all together. */
export const KNOWLEDGE_BASES_MAX = 1_000
export const KNOWLEDGE_CONTENTS_MAX = 50
export const KNOWLEDGE_TITLE_LENGTH = 200
export const KNOWLEDGE_TEXT_LENGTH = 10_000
export const KNOWLEDGE_ENTRY_TEXT_LENGTH = 50_000
/** Properties, groups or room types that an entry names. */
export const KNOWLEDGE_SCOPE_MAX = 1_000
/** Entries a page of the knowledge base has if nobody says how many (contract facts 10.1). */
export const KNOWLEDGE_PAGE_DEFAULT = 10
/** Characters of channel types separated by commas: each of them once, and some blanks. */
export const CHANNEL_TYPES_TEXT_LENGTH = 300
/** Characters that are looked at of a question, or of all messages that wait together. */
export const QUESTION_LENGTH = 2_000

/** Automation rules of an operator, paused ones among them, and characters of the name of one. */
export const AUTOMATION_RULES_MAX = 100
export const RULE_NAME_LENGTH = 100
/** Hours and days that a rule may be before or after something (a year), nights it may ask for, and properties it may name. */
export const RULE_TRIGGER_HOURS = 8_784
export const RULE_TRIGGER_DAYS = 366
export const AUTOMATION_RULE_NIGHTS = 3_650
export const RULE_PROPERTIES_MAX = 1_000
/** Fields of one template, and bytes of the file that a rule is read from. */
export const TEMPLATE_FIELDS_MAX = 50
export const RULE_FILE_BYTES = 512 * 1024
/** Days of what is to come that are planned and listed (contract facts 10.2). */
export const PLANNED_DAYS = 30
/** Milliseconds after its time that what a rule does is still done, where the service was down or a change came late (a day). */
export const PLAN_MAX_DELAY_MS = 24 * 60 * 60 * 1000
/** Milliseconds between two answers to one guest, and answers in a row without a word of a person. */
export const AUTOMATIC_ANSWER_PAUSE_MS = 60_000
export const AUTOMATIC_ANSWERS_IN_A_ROW = 5
/** Milliseconds for which a settled plan is kept after its time, and after its guest has left (30 days). */
export const PLAN_RETENTION_MS = 30 * 24 * 60 * 60 * 1000
/** Characters of a word that actions are searched for, and how often an action is looked at again that others change meanwhile. */
export const ACTION_KEYWORD_LENGTH = 100
export const ACTION_ATTEMPTS = 5
/** Milliseconds after which a question is not answered any more, and questions of one guest that are answered together. */
export const QUESTION_EXPIRY_MS = 60 * 60 * 1000
export const QUESTIONS_PER_ANSWER = 20

/** Bytes of a request for a token, its end, or a registration (64 KiB). */
export const OAUTH_BODY_BYTES = 64 * 1024
/** Characters of an id, a secret, a code, a token, a verifier or a scope in such a request. */
export const OAUTH_FIELD_LENGTH = 500
/** Characters of an S256 challenge: SHA-256 in base64url without padding (RFC 7636). */
export const CODE_CHALLENGE_LENGTH = 43
/** Characters of what a client calls itself, and of what its users' hosts see of a partner. */
export const CLIENT_NAME_LENGTH = 100
/** Clients that a deployment has, disabled ones among them, and addresses that a partner's hosts may be led back to. */
export const OAUTH_CLIENTS_MAX = 1_000
export const PARTNER_REDIRECTS_MAX = 20
/** Connections that one statement ends at most, when their client is disabled or their time is over. */
export const GRANTS_REVOKED_AT_ONCE = 500
/** Wrong secrets and verifiers in a window of ten minutes, after which none is looked at (specification, Limits). */
export const FAILED_SECRET_CHECKS_MAX = 10
/** Registrations a minute from one address, addresses that one names, and things that one says it can do. */
export const REGISTRATIONS_A_MINUTE = 30
export const REGISTRATION_REDIRECTS_MAX = 10
export const REGISTRATION_LIST_MAX = 20
/** Addresses of the public client that are kept, and those among them that are kept because a host consented to one. */
export const REGISTERED_REDIRECTS_MAX = 10_000
export const USED_REDIRECTS_MAX = 5_000
/** Milliseconds a session of the console lasts without a visit (twelve hours) and at most (seven days), and live ones of an account. */
export const SESSION_IDLE_MS = 12 * 60 * 60 * 1000
export const SESSION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000
export const SESSIONS_OF_ACCOUNT_MAX = 20
/**
 * Failed sign-ins of one e-mail address from one place of which the last is the first to be waited after: a second, then twice
 * as long each time, at the most five minutes. Milliseconds without a try after which they are forgotten (an hour).
 */
export const SIGN_IN_FAILURES_MAX = 5
export const SIGN_IN_FIRST_WAIT_MS = 1_000
export const SIGN_IN_LONGEST_WAIT_MS = 5 * 60 * 1000
export const SIGN_IN_FAILURE_RESET_MS = 60 * 60 * 1000
/** Failed sign-ins from one place whatever the e-mail address, and milliseconds in which they are counted (ten minutes). */
export const SIGN_IN_FAILURES_OF_NETWORK_MAX = 50
export const SIGN_IN_NETWORK_WINDOW_MS = 10 * 60 * 1000
/** Milliseconds by which the clocks of two processes may differ. A stored sign-in wait that ends later than the longest wait plus this is ignored. */
export const SIGN_IN_CLOCK_SKEW_MS = 60 * 1000
/** Browsers of an account that are known by a cookie of their own, and milliseconds since the last sign-in that one is (a year). */
export const KNOWN_BROWSERS_MAX = 20
export const KNOWN_BROWSER_MS = 365 * 24 * 60 * 60 * 1000
/**
 * Passwords that are hashed at once (each takes 32 MiB, and one of the four threads that files and names are also looked up on) for
 * strangers and for who is known, that wait for it of each, and of one place of both together.
 */
export const ANONYMOUS_HASHES_MAX = 2
export const KNOWN_BROWSER_HASHES_MAX = 1
export const QUEUED_HASHES_MAX = 16
export const NETWORK_HASHES_MAX = 4
/** Requests of one address to pages of the console in a minute, pages that are made at once in a process, and bytes of a form. */
export const CONSOLE_REQUESTS_A_MINUTE = 600
export const CONSOLE_PERMITS = 4
export const CONSOLE_FORM_BYTES = 64 * 1024
/** The same of who is signed in: the longest text there is, of 10,000 characters, takes nine bytes a character on its way. */
export const HOST_FORM_BYTES = 256 * 1024
/** Milliseconds in which a form must have arrived. */
export const CONSOLE_FORM_MS = 20_000
/** Characters of an address that browsers are led back to, and of the scheme that a program on a device calls its own. */
export const REDIRECT_URI_LENGTH = 2_000
export const REDIRECT_SCHEME_LENGTH = 100
/** Characters of the text that an application wants back with its code. */
export const OAUTH_STATE_LENGTH = 2_000
/** Resources that one request for access may name. */
export const OAUTH_RESOURCES_MAX = 10
/** Characters of an application's request, where it waits in the address of the sign-in page: less than HEADER_BYTES, with a browser's headers. */
export const PENDING_AUTHORIZATION_REQUEST_LENGTH = 12_000
/** Milliseconds that a code, an access token of OAuth (specification, Limits: 7 days) and an unused refresh token are good for. */
export const OAUTH_CODE_MS = 60_000
export const OAUTH_TOKEN_MS = 7 * 24 * 60 * 60 * 1000
export const REFRESH_TOKEN_MS = 90 * 24 * 60 * 60 * 1000
/** Milliseconds after a renewal, inclusive, within which a client that lost the response gets the same one again. */
export const REFRESH_GRACE_MS = 60_000
/** Access tokens of one grant that are good at once, and how often it may be renewed in an hour. */
export const GRANT_TOKENS_MAX = 10
export const GRANT_RENEWALS_MAX = 100
/** Applications that an account may have connected, and codes of it that may be on their way; migration 0050_oauth has both. */
export const OAUTH_CONNECTIONS_MAX = 100
export const OAUTH_CODES_MAX = 20
/** Connections that are listed at once. */
export const CONNECTIONS_SHOWN = 1_000
/** Milliseconds that codes, grants and tokens are kept when they are over, and a refresh token that is used. */
export const OAUTH_CODE_RETENTION_MS = 24 * 60 * 60 * 1000
export const GRANT_RETENTION_MS = 30 * 24 * 60 * 60 * 1000
export const TOKEN_RETENTION_MS = 30 * 24 * 60 * 60 * 1000
export const REFRESH_TOKEN_RETENTION_MS = 90 * 24 * 60 * 60 * 1000
/** Tokens whose last use a process has in hand until it writes it down: of more it is found at their next call. */
export const BUFFERED_TOKEN_USES_MAX = 50_000
/** Stays that the overview names of those that come, and of those that go; a search has them all. */
export const OVERVIEW_ROWS_MAX = 50
/** Days for which the overview tells of a push that failed, and conversations of so many days, so many at most, that it looks through. */
export const OVERVIEW_DAYS_FAILED = 7
export const OVERVIEW_THREADS_DAYS = 30
export const OVERVIEW_THREADS_SCANNED = 500
/** Properties that a page of the console's calendar shows, and stays of them and of the box that it shows of a month. */
export const MONTH_PROPERTIES_MAX = 100
export const MONTH_STAYS_MAX = 5_000
export const MONTH_UNASSIGNED_STAYS_MAX = 100
/** Days of one property that are looked at before they are closed, opened or booked. */
export const SELECTED_DAYS = 366
/** Listings on a page of the channels, pushes that failed that it tells of, and pushes that the page of one listing does. */
export const CHANNELS_LISTINGS_MAX = 50
export const FAILED_PUSHES_SHOWN = 50
export const LISTING_PUSHES_SHOWN = 30
/** Calendars of elsewhere, and links to calendars of here, on a page of them. */
export const CALENDARS_SHOWN = 100
export const SHARE_LINKS_SHOWN = 50
/** Properties, categories or ways of payment that a form of money and work offers to choose from. */
export const FORM_CHOICES_MAX = 1_000
/** Rows of each list that the page of properties shows at once: of properties, groups, tags and room types. */
export const PORTFOLIO_ROWS_MAX = 50
/** Staff that the page of people shows at once, and properties of each that it names. */
export const STAFF_ROWS_MAX = 50
export const STAFF_PROPERTIES_NAMED_MAX = 3
/** Tags of reservations that the page of words shows at once. */
export const RESERVATION_TAGS_SHOWN = 50
/** Sums by property and by category that the page of money shows, and lines of the file of a period's entries. */
export const SUMS_SHOWN = 200
export const MONEY_CSV_LINES_MAX = 10_000
/** Properties that the page of a year has a row for; its picture and its months count all. */
export const REPORT_PROPERTIES_MAX = 100
/** Tasks that the page of tasks shows at once, and those of one day that a sheet to print has. */
export const TASKS_SHOWN = 150
export const DAY_SHEET_TASKS_MAX = 300
/** Stays that come next and are offered to try a rule or a question on. */
export const TEST_STAYS_MAX = 20
/** Characters that the list of rules shows of what one says, and actions to come that are listed at once. */
export const RULE_TEXT_SHOWN = 300
export const ACTIONS_SHOWN = 50
/** Properties, groups and room types that a form lets choose from, of each. */
export const SCOPE_CHOICES_MAX = 500
/** Entries of the knowledge base that a page lists at once. */
export const KNOWLEDGE_SHOWN = 50
/** Characters of a record in `GET /audit_log`: the longest has a name of a dictionary and a code. */
export const AUDIT_RECORD_LENGTH = 2 * RECORD_CODE_LENGTH
/** Changes that the page of what happened shows at once, and those it looks through for one person's. */
export const ACTIVITY_LOG_SHOWN = 100
export const ACTIVITY_LOG_SCANNED = 5_000
/** Stays that one page of a search of the console shows. */
export const STAY_SEARCH_ROWS_MAX = 50
/** Properties that a form of the console offers, and stays that it names in the way of each. */
export const PROPERTIES_OFFERED_MAX = 1_000
export const CONFLICTING_STAYS_MAX = 5
/** Tasks that the page of a stay shows, and tags of reservations that it offers. */
export const STAY_TASKS_MAX = 50
export const TAGS_OFFERED_MAX = 100
/** Characters of a guest's last message in the list of who waits for an answer, and listings that one may be made an offer of. */
export const MESSAGE_PREVIEW_LENGTH = 200
export const OFFERED_LISTINGS_MAX = 200
/** Characters of an address's value that a page carries on to its links and forms: longer than any of our own. */
export const CARRIED_QUERY_VALUE_LENGTH = 300
/** Characters, as HTML writes them, that the messages of a page have in all: of more the page before has the rest. */
export const MESSAGES_PAGE_TEXT_LENGTH = 150_000
