/** All names are fictitious, in reserved domains and documentation address ranges. */

const wordsIn = (text: string): readonly [string, ...ReadonlyArray<string>] => {
  const [first = "", ...others] = text.trim().split(/\s+/)
  return [first, ...others]
}

export const company = "Example Corp"
export const companyDomain = "example.com"
export const repository = { owner: "example-corp", name: "checkout" } as const
export const azureTenant = "0b5e2d1c-5a3f-4c7e-9d61-7f0e5a2c9b48"
export const cardBin = "40000012"
export const serverAddress = "198.51.100.23"
export const serverAddressV6 = "2001:db8:5::23"

export const hosts = [
  "example.com",
  "mail.example.com",
  "vpn.example.com",
  "shop.example.com",
  "jira.example.com",
  "sso.example.com"
] as const

export const mailDomains = [
  "example.com",
  "example.com",
  "example.com",
  "eu.example.com",
  "example.org",
  "example.net"
] as const

export const services = [
  "https://sso.example.com/login",
  "https://mail.example.com/owa",
  "https://vpn.example.com/portal",
  "https://shop.example.com/account",
  "https://jira.example.com/secure",
  "https://accounts.example.net/signin",
  "https://forum.example.org/login"
] as const

export const firstNames = wordsIn(`
  Adela Bram Chiara Dmitri Edda Farid Greta Hugo Ines Jonas Kaja Luca Mira Nils Odile Pavel Rosa
  Selim Tamar Uwe
`)

export const lastNames = wordsIn(`
  Abendroth Birkwood Castellan Dunmore Eberlin Fairwater Grünwald Holloway Isaksson Jansen Kovář
  Lindqvist Marchetti Nightingale Okonjo Petridis Quist Rasmussen Sørensen Tolliver
`)

export const passwordWords = wordsIn(`
  harvest lantern pebble saffron thistle walnut meadow copper juniper marble otter violet
`)

const breach = (id: string, name: string, url: string | null, tags: string) => ({
  id,
  name,
  url,
  tags: tags.split(" ")
})

export const breaches = [
  breach("lumen_pantry", "Lumen Pantry", "https://lumen-pantry.example.org", "email password full_name"),
  breach("quillmart", "Quillmart", "https://quillmart.example.net", "email password address"),
  breach("kestrel_air", "Kestrel Air Miles", "https://kestrel-air.example.org", "email password birth_date"),
  breach("otterbank_club", "Otterbank Book Club", "https://otterbank.example.net", "email password"),
  breach("combolist_amber", "Combolist Amber", null, "email password"),
  breach("mothlamp_logs", "Mothlamp stealer logs", null, "email password ip_address")
] as const

export const forums = [
  {
    id: "gullwing_board",
    name: "Gullwing Board",
    host: "gullwing.example.org",
    rooms: ["Databases", "Access", "Logs"]
  },
  { id: "old_lantern", name: "Old Lantern", host: "old-lantern.example.net", rooms: ["Leaks", "Carding", "Off topic"] }
] as const

export const markets = [
  { id: "cinder_market", name: "Cinder Market", host: "cinder.example.org" },
  { id: "nightjar_bazaar", name: "Nightjar Bazaar", host: "nightjar.example.net" }
] as const

export const chats = [
  { id: "tin_bucket", name: "tin bucket logs" },
  { id: "paper_crow", name: "paper crow | cloud & combo" },
  { id: "brass_heron_news", name: "Brass Heron news" }
] as const

export const pasteSites = [
  { id: "scrapbin", host: "scrapbin.example.org" },
  { id: "quicknote", host: "quicknote.example.net" }
] as const

export const malware = ["Mothlamp", "Pebblesnatch", "Harrowfox"] as const
export const gangs = ["Brass Heron", "Nine Kettles", "Slow Comet"] as const
export const handles = wordsIn(`
  saltmarsh vex_penguin dr_turnip quiet_harpoon loaf mx_static brine_king parcelmoth oldclockwork
  ninth_fox
`)

const victim = (name: string, domain: string, industry: string, city: string, country: string) => ({
  name,
  domain,
  industry,
  city,
  country
})

export const victims = [
  victim("Thornbury Ceramics", "thornbury.example.org", "Manufacturing", "Porto", "PT"),
  victim("Alder & Finch Logistics", "alderfinch.example.net", "Transport", "Gdansk", "PL"),
  victim("Mirrorlake Clinics", "mirrorlake.example.org", "Health", "Graz", "AT"),
  victim("Example Corp Iberia", "iberia.example.com", "Retail", "Valencia", "ES")
] as const

export const countries = ["PT", "PL", "AT", "ES", "DE", "FR", "NL", "SE", "IT", "CA"] as const
export const cities = wordsIn(`
  Porto Gdansk Graz Valencia Leipzig Nantes Utrecht Malmö Turin Halifax
`)
export const systems = ["Windows 10 Pro", "Windows 11 Home", "Windows 11 Pro", "Windows Server 2022"] as const
export const banks = ["Otterbank", "First Harbour Bank", "Meadow Credit Union"] as const

/** As in an address. */
export const plain = (name: string): string =>
  name.normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll("ø", "o").replaceAll("Ø", "O").toLowerCase()
