/** Events of every type in docs/api.md#typed-events, and of two types that are not listed there. */
import type { Severity } from "@threat-exposure/core/domain/Severity"
import { digits, SeededRandom, lower, upper } from "./SeededRandom.ts"
import {
  azureTenant,
  banks,
  breaches,
  cardBin,
  chats,
  cities,
  company,
  companyDomain,
  countries,
  firstNames,
  forums,
  gangs,
  handles,
  hosts,
  lastNames,
  mailDomains,
  malware,
  markets,
  passwordWords,
  pasteSites,
  plain,
  repository,
  serverAddress,
  serverAddressV6,
  services,
  systems,
  victims
} from "./SampleNames.ts"
import { leakedSecrets } from "./LeakedSecrets.ts"
import type { SampleDates } from "./SampleDates.ts"

/** In the shape in which the service loads events. */
export interface SampleEvent {
  readonly event_type: string
  readonly metadata: {
    readonly estimated_created_at: string
    readonly svc_url: string
    readonly matched_at: null
    readonly severity: Severity
    readonly uid: string
  }
  readonly data: unknown
}

/** The events, newest first within a type. */
export const sampleEvents = (dates: SampleDates): ReadonlyArray<SampleEvent> => {
  const random = new SeededRandom(11)
  const events: Array<SampleEvent> = []
  for (const { contentOf, count, index, type } of templates) {
    for (let number = 0; number < count; number += 1) {
      // The first event of each type is hours old; the ages of the others grow quadratically up to 400 days.
      const age = number === 0 ? 0.1 + random.fraction() * 2 : ((number + random.fraction()) / count) ** 2 * 400 + 1
      const at = dates.before(age, random)
      const ago = (days: number) => dates.before(age + days, random)
      const { data, severity, source } = contentOf({ random, number, at, ago })
      const uid = `${index}/${source}/${random.text(`${lower}${digits}`, 16)}`
      events.push({
        event_type: type,
        metadata: {
          estimated_created_at: at,
          svc_url: `https://exposure.example.com/events/${encodeURIComponent(uid)}`,
          matched_at: null,
          severity,
          uid
        },
        data
      })
    }
  }
  return events
}

interface Kind {
  readonly type: string
  /** The first segment of the uid. Default: the type. */
  readonly index?: string
  readonly count: number
}

interface Content {
  readonly source: string
  readonly severity: Severity
  readonly data: unknown
}

const template = (kind: Kind, contentOf: (input: TemplateInput) => Content) => ({
  index: kind.type,
  ...kind,
  contentOf
})

interface TemplateInput {
  readonly random: SeededRandom
  /** The index of the event among those of its type, from 0. */
  readonly number: number
  readonly at: string
  readonly ago: (days: number) => string
}

const address = (random: SeededRandom): string =>
  random.pick([
    `192.0.2.${random.integer(1, 254)}`,
    `198.51.100.${random.integer(1, 254)}`,
    `203.0.113.${random.integer(1, 254)}`,
    `2001:db8:${random.text("123456789abcdef", 2)}::${random.text("123456789abcdef", 2)}`
  ])

const person = (random: SeededRandom) => {
  const first = random.pick(firstNames)
  const last = random.pick(lastNames)
  return { full: `${first} ${last}`, email: `${plain(first)}.${plain(last)}@${random.pick(mailDomains)}` }
}

const password = (random: SeededRandom): string =>
  `${random.pick(passwordWords)}${random.pick(passwordWords)}${random.text(digits, 2)}!`

const actor = (random: SeededRandom) => {
  const name = random.pick(handles)
  return { id: `u-${name.length}${name.charCodeAt(0)}`, name }
}

const paragraphs = (...lines: ReadonlyArray<string>): string => lines.join("\n")

const environmentFile = (secrets: ReadonlyArray<{ readonly name: string; readonly value: string }>): string =>
  paragraphs(...secrets.map(({ name, value }) => `${name}=${value}`))

const templates = [
  template({ type: "leaked_credential", index: "leak", count: 48 }, ({ ago, random, number }) => {
    const breach = number === 0 ? breaches[5] : random.pick(breaches)
    return {
      source: breach.id,
      severity: number < 8 ? "high" : "medium",
      data: {
        identity_name: number === 0 ? "shop-db@example.com" : person(random).email,
        imported_at: ago(0.2),
        password: number === 0 ? leakedSecrets.databasePassword.value : password(random),
        source: { id: breach.id, name: breach.name }
      }
    }
  }),
  template({ type: "stealer_log", count: 36 }, ({ ago, random, number }) => {
    const owner = number === 1 ? { email: "greta.holloway@example.com" } : person(random)
    const at = random.integer(0, cities.length - 1)
    const family = random.pick(malware)
    const ip = number === 1 ? serverAddress : address(random)
    const typed = random
      .pickSome(services, 3)
      .map((url) => ({ url, username: owner.email, password: password(random) }))
    const { accessKeyId, paymentsToken, secretAccessKey } = leakedSecrets
    return {
      source: family.toLowerCase(),
      severity: number < 12 ? "critical" : "high",
      data: {
        victim_information: {
          ip_address: ip,
          ip_network: ip.includes(":") ? "2001:db8::/32" : `${ip.split(".").slice(0, 3).join(".")}.0/24`,
          username: owner.email.split("@")[0],
          country_code: countries[at],
          zip_code: random.text(digits, 5),
          location: cities[at],
          hwid: random.text(`${upper}${digits}`, 12),
          current_language: "en-GB",
          screensize_width: 1920,
          screensize_height: 1080,
          timezone: "UTC+01:00",
          os: random.pick(systems),
          uac: "AllowAll",
          process_elevation: random.chance(0.3),
          available_keyboards: ["English (United Kingdom)", "German (Germany)"],
          hardware: ["Invented CPU, 8 cores", "16 GB of memory"],
          anti_viruses: random.chance(0.5) ? ["Harbour Shield"] : []
        },
        malware_information: {
          malware_family: family,
          build_id: random.text(lower, 6),
          file_location: "C:\\Users\\Public\\setup.exe",
          infected_at: ago(1.5)
        },
        credentials:
          number === 0
            ? [
                {
                  url: "https://console.example.com/iam",
                  username: accessKeyId.value,
                  password: secretAccessKey.value
                },
                { url: "https://shop.example.com/admin", username: accessKeyId.name, password: accessKeyId.value },
                {
                  url: "https://shop.example.com/admin",
                  username: "checkout@example.com",
                  password: paymentsToken.value
                }
              ]
            : typed
      }
    }
  }),
  template({ type: "paste", count: 24 }, ({ random, number }) => {
    const site = random.pick(pasteSites)
    const lines = Array.from({ length: random.integer(3, 8) }, () => `${person(random).email}:${password(random)}`)
    const { accessKeyId, databasePassword, secretAccessKey } = leakedSecrets
    return {
      source: site.id,
      severity: number < 2 ? "critical" : random.pick(["low", "medium", "medium", "high"]),
      data: {
        url: `https://${site.host}/${random.text(`${lower}${digits}`, 8)}`,
        title:
          number === 0
            ? `.env of ${hosts[3]}`
            : random.pick([`${random.integer(2, 90)}k combo`, "fresh mail access", "Untitled", `${company} staff`]),
        content:
          number === 0
            ? paragraphs(
                "# checkout service, production",
                environmentFile([accessKeyId, secretAccessKey, databasePassword]),
                `DATABASE_HOST=db.shop.${companyDomain}`
              )
            : paragraphs("email:pass", ...lines),
        actor: actor(random),
        expires_at: null,
        syntax: number === 0 ? "bash" : "text"
      }
    }
  }),
  template({ type: "source_code_files", index: "source_code", count: 6 }, ({ random, number }) => {
    const { paymentsToken, sourceHostToken } = leakedSecrets
    const path = number === 0 ? "deploy/release.sh" : random.pick(["config/settings.py", "src/pay.ts", "infra/main.tf"])
    return {
      source: "github",
      severity: number === 0 ? "critical" : "medium",
      data: {
        url: `https://github.com/${repository.owner}/${repository.name}/blob/main/${path}`,
        repository: `${repository.owner}/${repository.name}`,
        path,
        content:
          number === 0
            ? paragraphs(
                "#!/bin/sh",
                `export ${sourceHostToken.name}="${sourceHostToken.value}"`,
                `export ${paymentsToken.name}="${paymentsToken.value}"`,
                `curl -s https://shop.${companyDomain}/release`
              )
            : paragraphs(
                `HOST = "${random.pick(hosts)}"`,
                "TIMEOUT = 30",
                `# TODO ${random.pick(handles)}: move to the vault`
              )
      }
    }
  }),
  template({ type: "forum_post", count: 26 }, ({ at, random, number }) => {
    const forum = random.pick(forums)
    const room = random.pick(forum.rooms)
    const topic =
      number === 0
        ? `Selling initial access, ${company} VPN`
        : random.pick([
            `${random.pick(hosts)} database, ${random.integer(10, 900)}k rows`,
            "Mothlamp builder, new version",
            "How do you cash out gift cards",
            "Fresh logs every day"
          ])
    return {
      source: forum.id,
      severity: number === 0 ? "critical" : random.pick(["low", "medium", "high"]),
      data: {
        actor: actor(random),
        context: { category_name: room, topic_id: String(random.integer(10_000, 99_999)), topic_title: topic },
        posted_at: at,
        content:
          number === 0
            ? paragraphs(
                `Initial access to the network of ${company} (${companyDomain}), retail, 4000 hosts.`,
                `VPN at vpn.${companyDomain}, domain user, tenant ${azureTenant}.`,
                "Price by private message, escrow welcome."
              )
            : random.pick([
                `Has somebody got the ${random.pick(hosts)} dump? Paying well, pm me.`,
                `Sample of the rows: ${person(random).email}, ${person(random).full}, ${random.pick(cities)}`,
                `@${random.pick(handles)} do not trust him, the logs are from last year.`,
                `Cards with bin ${cardBin} go through at ${random.pick(hosts)} without a check.`
              ]),
        url: `https://${forum.host}/t/${random.integer(10_000, 99_999)}`
      }
    }
  }),
  template({ type: "chat_message", count: 28 }, ({ at, random, number }) => {
    const chat = random.pick(chats)
    const forwarded = random.chance(0.3)
    return {
      source: chat.id,
      severity: random.pick(["info", "low", "medium", "high"]),
      data: {
        posted_at: at,
        actor: actor(random),
        context: { conversation_id: String(-1_000_000 - random.integer(1, 999)), conversation_name: chat.name },
        content:
          number === 0
            ? `New logs from ${malware[0]}: 12 machines with ${companyDomain} sessions, cookies included`
            : random.pick([
                `${random.integer(5, 60)} GB of logs, ${random.pick(countries)} and ${random.pick(countries)}, link in the channel`,
                `checking ${random.pick(services)} all morning, many hits`,
                `${random.pick(gangs)} posted a new victim today`,
                `who sells payments pages for shop.${companyDomain}`
              ]),
        parent_context: null,
        forward_info: forwarded
          ? {
              forwarded_from: random.pick(chats).name,
              forwarded_from_author_id: null,
              forwarded_from_chat_id: -1_000_000 - random.integer(1, 999),
              forwarded_from_conversation_id: null,
              forwarded_from_user_id: null,
              forwarded_from_username: random.pick(handles),
              forwarded_message_time: at
            }
          : null,
        was_forwarded: forwarded
      }
    }
  }),
  template({ type: "listing", count: 18 }, ({ random, number }) => {
    const market = random.pick(markets)
    const carding = random.chance(0.5)
    return {
      source: market.id,
      severity: number === 0 ? "high" : random.pick(["low", "medium"]),
      data: {
        url: `https://${market.host}/listing/${random.integer(1_000, 9_999)}`,
        title:
          number === 0
            ? `${company} customer accounts, with card on file`
            : random.pick([
                "Gift cards, 40 percent",
                "Scans of passports",
                "Combo list, shopping",
                "Guide: cash out at home"
              ]),
        content:
          number === 0
            ? `Accounts at shop.${companyDomain} with a card on file, checked today.`
            : `Instant delivery. BINs: ${cardBin}, 40000${random.text(digits, 1)}`,
        currency: "USD",
        escrow: random.chance(0.6),
        price: random.integer(5, 400) + 0.5,
        ship_to: ["Worldwide"],
        ship_from: [random.pick(countries)],
        stock_count: random.integer(1, 500),
        actor: actor(random),
        classification: {
          classes: {
            is_carding: carding,
            is_bypass: false,
            is_ident_fraud: !carding,
            is_doc_fraud: false,
            is_phishing: false,
            is_money_xfer: false,
            is_cashout: carding,
            is_virt_currency: false,
            is_hacking: number === 0,
            is_misc_financial: false
          },
          types: { is_guide: false, is_service: false, is_software: false, is_hardware: false, is_data: true }
        },
        context: { category_name: carding ? "Cards" : "Fraud" }
      }
    }
  }),
  template({ type: "ransomleak", count: 8 }, ({ random, number }) => {
    const gang = random.pick(gangs)
    const victim = number === 0 ? victims[3] : random.pick(victims)
    const url = `https://${gang.toLowerCase().replace(" ", "-")}.example.org/${victim.domain}`
    return {
      source: gang.toLowerCase().replace(" ", "_"),
      severity: number === 0 ? "critical" : "medium",
      data: {
        url,
        response_url: url,
        title: `${victim.name} | ${random.integer(20, 900)} GB`,
        content: `${gang} has published documents of ${victim.name}: contracts, payroll, payments to suppliers.`,
        body: null,
        victim_information: {
          name: victim.name,
          display_name: victim.name,
          domain: victim.domain,
          alternative_domains: [`www.${victim.domain}`],
          industry: victim.industry,
          employee_count: random.integer(40, 4_000),
          city: victim.city,
          state: null,
          country: victim.country,
          latitude: 41.5 + random.integer(0, 100) / 10,
          longitude: -8 + random.integer(0, 240) / 10
        }
      }
    }
  }),
  template({ type: "cc", count: 20 }, ({ random, number }) => ({
    source: random.pick(markets).id,
    severity: number === 0 ? "high" : "medium",
    data: {
      bank: random.pick(banks),
      bin: number % 4 === 0 ? cardBin : `4000${random.text(digits, 2)}`,
      brand: "INVENTED CARD",
      country: random.pick(countries),
      expiration: `${random.text("01", 1)}${random.text("12", 1)}/30`,
      owner: number === 0 ? "Tamar Nightingale" : person(random).full,
      state_code: null,
      zip: random.text(digits, 5),
      has_cvv: true,
      has_date_of_birth: random.chance(0.3),
      has_mother_maiden_name: null,
      has_phone: random.chance(0.5),
      has_pin: false,
      has_ssn: null,
      has_track_1: false,
      has_vbv: null
    }
  })),
  template({ type: "bot", count: 14 }, ({ ago, random, number }) => {
    const at = random.integer(0, cities.length - 1)
    return {
      source: markets[1].id,
      severity: number < 3 ? "high" : "medium",
      data: {
        name: `BOT-${random.text(`${upper}${digits}`, 8)}`,
        url: number < 3 ? services[0] : random.pick(services),
        actor: { id: `seller-${random.integer(1, 40)}` },
        victim_information: {
          country_code: countries[at],
          location: cities[at],
          isp: "Invented Broadband",
          installed_at: ago(12),
          os: random.pick(systems)
        },
        price: `${random.integer(3, 60)}.00`,
        currency: "USD"
      }
    }
  }),
  template({ type: "service", count: 16 }, ({ random, number }) => {
    const host = number < 2 ? hosts[3] : random.pick(hosts)
    const ip = number === 0 ? serverAddress : number === 1 ? serverAddressV6 : address(random)
    const [service, product, port] = random.pick([
      ["http", "Invented Web Server 2.4", 443],
      ["ssh", "Invented Shell 9.1", 22],
      ["mysql", "Invented Database 8.0", 3306],
      ["rdp", "Invented Remote Desktop", 3389]
    ] as const)
    return {
      source: "port_scan",
      severity: port === 3306 || port === 3389 ? "high" : "info",
      data: {
        url: `https://${host}:${port}/`,
        asn: "AS64500",
        content: `${product} ready`,
        service,
        product,
        port,
        ip_address: ip,
        organization: company,
        hostname: host,
        country_code: "NL",
        vulnerabilities: port === 443 ? [] : ["CVE-2099-0001"]
      }
    }
  }),
  template({ type: "bucket", count: 5 }, ({ random }) => {
    const host = `example-corp-${random.pick(["backup", "static", "invoices"])}.storage.example.net`
    return {
      source: "storage",
      severity: "medium",
      data: { url: `https://${host}/`, bucket: { host, provider: "Invented Storage" } }
    }
  }),
  template({ type: "bucket_object", count: 8 }, ({ random }) => {
    const host = "example-corp-backup.storage.example.net"
    const name = random.pick(["2025/customers.csv", "2025/payments.sql.gz", "keys/readme.txt", "logo.png"])
    return {
      source: "storage",
      severity: name === "logo.png" ? "info" : "high",
      data: {
        url: `https://${host}/${name}?v=${random.integer(1, 9)}`,
        bucket: { host, provider: "Invented Storage" }
      }
    }
  }),
  template({ type: "docker_image", index: "docker", count: 4 }, ({ ago, random }) => ({
    source: "registry",
    severity: "medium",
    data: {
      content: `ENV SHOP_HOST=shop.${companyDomain}\nRUN install-checkout`,
      digest: `sha256:${random.text("0123456789abcdef", 64)}`,
      architecture: "amd64",
      os: "linux",
      last_pushed_at: ago(2),
      last_pulled_at: ago(1),
      tags: [{ name: `1.${random.integer(0, 20)}`, repository_name: "example-corp/checkout" }]
    }
  })),
  template({ type: "docker_repository", index: "docker", count: 3 }, ({ ago, random }) => ({
    source: "registry",
    severity: "low",
    data: {
      url: `https://registry.example.org/example-corp/${random.pick(["checkout", "search", "mailer"])}`,
      star_count: random.integer(0, 9),
      pull_count: random.integer(100, 9_000),
      collaborator_count: random.integer(1, 5),
      last_updated_at: ago(1),
      last_modified_at: ago(3),
      registered_at: ago(300)
    }
  })),
  template({ type: "lookalike", index: "domain", count: 12 }, ({ ago, random }) => ({
    source: "certificates",
    severity: random.pick(["low", "medium", "high"]),
    data: {
      domain: `${random.pick(["examp1e", "exarnple", "example-login", "example-shop", "my-example"])}-${random.text(lower, 3)}.example.net`,
      registered_at: ago(1),
      identifier_domains: [companyDomain],
      feed: null,
      cert_data: null,
      subject: null,
      issuer: "Invented Certificates"
    }
  })),
  template({ type: "social_media_account", index: "social_media", count: 8 }, ({ random, number }) => {
    const username = number === 0 ? "examplecorp_support" : random.pick(handles)
    return {
      source: "murmur",
      severity: number === 0 ? "medium" : "info",
      data: { url: `https://murmur.example.org/@${username}`, site: "Murmur", username }
    }
  }),
  template({ type: "blog_post", count: 8 }, ({ at, random }) => {
    const gang = random.pick(gangs)
    const victim = random.pick(victims)
    return {
      source: "brass_gazette",
      severity: random.pick(["info", "low"]),
      data: {
        url: `https://gazette.example.org/${random.text(lower, 6)}`,
        content: `${gang} says it holds data of ${victim.name} (${victim.domain}) and gives it a week to answer.`,
        description: `${gang} names ${victim.name}`,
        posted_at: at
      }
    }
  }),
  template({ type: "leak", count: 6 }, ({ ago, random, number }) => {
    const breach = breaches[number] ?? random.pick(breaches)
    return {
      source: breach.id,
      severity: number < 2 ? "high" : "medium",
      data: {
        term: companyDomain,
        site_url: breach.url,
        leaked_at: ago(20),
        breached_at: ago(90),
        leaked_credential_count: random.integer(20, 9_000),
        pii_tags: [...breach.tags],
        source: { id: breach.id, name: breach.name }
      }
    }
  }),
  ...(["invalid_credential", "valid_credential", "mitigated_credential"] as const).map((type) =>
    template({ type, index: "credential", count: 5 }, ({ random }) => ({
      source: "integration",
      severity: type === "valid_credential" ? "critical" : "low",
      data: {
        identity_name: person(random).email,
        credential_hash: random.text("0123456789abcdef", 64),
        tenant_integration_id: random.uuid(),
        ...(type === "mitigated_credential" ? { mitigation_action: "password_reset" } : undefined)
      }
    }))
  ),
  template({ type: "stack_exchange", count: 2 }, ({ random }) => ({
    source: "questions",
    severity: "info",
    data: {
      url: `https://questions.example.org/q/${random.integer(1_000, 9_999)}`,
      title: "Checkout page refuses my test card",
      content: `Our staging shop at ${hosts[3]} answers 502 to every test card. What am I missing?`,
      actor: actor(random)
    }
  }))
]
