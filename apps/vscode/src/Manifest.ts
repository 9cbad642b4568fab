/** Converts the contributions for package.json and the package.nls files. Only the generator and its test use it. */
import { Predicate } from "effect"
import {
  type CommandContribution,
  type SettingContribution,
  signedIn,
  type Text,
  type ToolContribution,
  type ViewContribution
} from "./editor/Contribution.ts"
import { colors, commands, panels, restrictedSettings, settings, tools, views } from "./Contributions.ts"
import { walkthrough } from "./Walkthrough.ts"

export interface Manifest {
  readonly contributes: Readonly<Record<string, unknown>>
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly activationEvents: ReadonlyArray<string>
  readonly english: Readonly<Record<string, string>>
  readonly french: Readonly<Record<string, string>>
}

const allCommands: ReadonlyArray<readonly [string, CommandContribution]> = Object.entries(commands)
const allViews: ReadonlyArray<readonly [string, ViewContribution]> = Object.entries(views)
const allSettings: ReadonlyArray<readonly [string, SettingContribution]> = Object.entries(settings)
const allTools: ReadonlyArray<readonly [string, ToolContribution]> = Object.entries(tools)

export const manifest = (): Manifest => {
  const english: Record<string, string> = {}
  const french: Record<string, string> = {}
  const say = (key: string, { en, fr }: Text) => {
    english[key] = en
    french[key] = withNoBreakSpaces(fr)
    return `%${key}%`
  }
  /** Replaces the descriptions in a JSON Schema, which are texts in two languages, with keys of package.nls. */
  const localize = (key: string, schema: object): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      Object.entries(schema).map(([name, member]: [string, unknown]) => [
        name,
        isText(member) ? say(key, member) : Predicate.isObject(member) ? localize(`${key}.${name}`, member) : member
      ])
    )

  say("description", {
    en: "See which of your organisation's secrets and data have leaked, and check your code before it ships.",
    fr: "Découvrez quels secrets et quelles données de votre organisation ont fuité, et vérifiez votre code avant de le livrer."
  })

  const menus: Record<string, Array<Record<string, string>>> = { commandPalette: [] }
  for (const [name, command] of allCommands) {
    const palette = paletteOf(command)
    if (palette !== true) menus["commandPalette"]?.push({ command: id(name), when: String(palette) })
    for (const { menu, when, group } of command.places ?? []) {
      const entries = menus[menu] ?? []
      entries.push({ command: id(name), when, group })
      menus[menu] = entries
    }
  }

  const contributes = {
    viewsContainers: {
      activitybar: [{ id: "threatExposure", title: "Threat Exposure", icon: "media/threat-exposure.svg" }]
    },
    views: {
      threatExposure: allViews.map(([name, view]) => ({
        id: id(name),
        name: say(`view.${name}`, view.name),
        icon: view.icon,
        type: view.type,
        initialSize: view.initialSize,
        contextualTitle: "Threat Exposure",
        ...(view.isFolded === true ? { visibility: "collapsed" } : {})
      }))
    },
    viewsWelcome: allViews.flatMap(([name, view]) =>
      Object.entries(view.welcome).flatMap(([state, contents]) => {
        const key = `welcome.${name}.${state}`
        const inState = `${id(name)}.state == ${state}`
        return isText(contents)
          ? [{ view: id(name), contents: say(key, contents), when: inState }]
          : contents.map(({ text, when }, order) => ({
              view: id(name),
              contents: say(`${key}.${order + 1}`, text),
              when: [inState, ...(when === undefined ? [] : [when])].join(" && ")
            }))
      })
    ),
    commands: allCommands.map(([name, { title, icon }]) => ({
      command: id(name),
      title: say(`command.${name}`, title),
      category: "Threat Exposure",
      // JSON omits an undefined member.
      icon: icon === undefined ? undefined : `$(${icon})`
    })),
    menus,
    keybindings: allCommands.flatMap(([name, { keybinding }]) =>
      keybinding === undefined ? [] : [{ command: id(name), ...keybinding }]
    ),
    configuration: {
      title: "Threat Exposure",
      properties: Object.fromEntries(
        allSettings.map(([name, { description, schema, scope }], order) => [
          id(name),
          {
            ...localize(`setting.${name}`, schema),
            order,
            scope: scope ?? "window",
            markdownDescription: say(`setting.${name}`, description)
          }
        ])
      )
    },
    colors: Object.entries(colors).map(([name, { description, ...defaults }]) => ({
      id: id(name),
      description: say(`color.${name}`, description),
      defaults
    })),
    authentication: [{ id: "threatExposure", label: "Threat Exposure" }],
    mcpServerDefinitionProviders: [
      {
        id: "threatExposure.commandLine",
        label: say("mcp", { en: "Threat Exposure (command line)", fr: "Threat Exposure (ligne de commande)" })
      }
    ],
    walkthroughs: [
      {
        id: "start",
        title: say("walkthrough.title", walkthrough.title),
        description: say("walkthrough.description", walkthrough.description),
        steps: Object.entries(walkthrough.steps).map(([name, { title, description, picture, alt, done }]) => ({
          id: name,
          title: say(`walkthrough.${name}.title`, title),
          description: say(`walkthrough.${name}.description`, description),
          media: { svg: `media/${picture}`, altText: say(`walkthrough.${name}.picture`, alt) },
          completionEvents: done
        }))
      }
    ],
    languageModelTools: allTools.map(([name, tool]) => ({
      name: `threatExposure_${name}`,
      displayName: say(`tool.${name}`, tool.displayName),
      userDescription: say(`tool.${name}.description`, tool.userDescription),
      modelDescription: tool.modelDescription,
      toolReferenceName: name,
      canBeReferencedInPrompt: true,
      icon: tool.icon,
      tags: ["security", "threat-exposure"],
      inputSchema: tool.input
    }))
  }

  const capabilities = {
    untrustedWorkspaces: {
      supported: "limited",
      description: say("untrusted", {
        en: "The settings of an untrusted workspace cannot change where the extension signs in, what it searches, or what it shows.",
        fr: "Les paramètres d'un espace de travail non approuvé ne peuvent changer ni le service auquel l'extension se connecte, ni ce qu'elle recherche, ni ce qu'elle affiche."
      }),
      restrictedConfigurations: restrictedSettings.map(id)
    },
    virtualWorkspaces: true
  }

  const activationEvents = ["onStartupFinished", "onUri", ...panels.map((kind) => `onWebviewPanel:${id(kind)}`)]

  return { contributes, capabilities, activationEvents, english, french }
}

const paletteOf = ({ palette, places }: CommandContribution): string | boolean =>
  palette ?? (places === undefined || (places.some(({ menu }) => menu === "view/title") && signedIn))

/** In French, some punctuation has a space before it, at which a line must not break. */
export const withNoBreakSpaces = (french: string): string =>
  french.replaceAll(/ (?=[:»])|(?<=«) /gu, "\u00A0").replaceAll(/ (?=[;?!])/gu, "\u202F")

const isText = (value: unknown): value is Text =>
  Predicate.hasProperty(value, "en") && Predicate.hasProperty(value, "fr")

const id = (name: string) => `threatExposure.${name}`
