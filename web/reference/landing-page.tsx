import { Stack, Text, Title } from '@mantine/core'
import { PageHead } from '../parts/page-head.tsx'
import { DocLink } from './doc-link.tsx'
import { CHANGELOG_PAGE, ERRORS_PAGE, GUIDES, pathOf, type SitePage } from './guides.ts'
import classes from './site.module.css'
import { siteWords } from './site-words.ts'

interface Way {
  readonly href: string
  readonly name: string
  readonly about: string
}

const wayTo = (page: SitePage): Way => ({ href: pathOf(page), name: page.name, about: page.about })

const REFERENCE: readonly Way[] = [
  { href: '/docs/reference', name: siteWords.reference, about: siteWords.referenceText },
  wayTo(ERRORS_PAGE),
  wayTo(CHANGELOG_PAGE),
]

const FOR_PROGRAMS: readonly Way[] = [
  { href: '/openapi.json', name: siteWords.openapi, about: siteWords.openapiText },
  { href: '/llms.txt', name: siteWords.llms, about: siteWords.llmsText },
  { href: '/llms-full.txt', name: siteWords.llmsFull, about: siteWords.llmsFullText },
]

const Ways = ({ title, ways }: { readonly title: string; readonly ways: readonly Way[] }) => (
  <section>
    <Title order={2} mb="sm">
      {title}
    </Title>
    <ul className={classes.ways}>
      {ways.map(({ href, name, about }) => (
        <li key={href}>
          <DocLink href={href} className={classes.way}>
            <Text component="span" fw={600} display="block">
              {name}
            </Text>
            <Text component="span" size="sm" c="dimmed" display="block" mt={2}>
              {about}
            </Text>
          </DocLink>
        </li>
      ))}
    </ul>
  </section>
)

const [first, ...rest] = GUIDES.map(({ title, pages }) => ({ title, ways: pages.map(wayTo) }))

/** The start page of the documentation. */
export const LandingPage = () => (
  <>
    <PageHead title={siteWords.title} lead={siteWords.lead} />
    <Stack gap="xl">
      {[first!, { title: siteWords.referenceTitle, ways: REFERENCE }, ...rest].map(({ title, ways }) => (
        <Ways key={title} title={title} ways={ways} />
      ))}
      <Ways title={siteWords.forPrograms} ways={FOR_PROGRAMS} />
    </Stack>
  </>
)
