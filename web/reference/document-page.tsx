import { Anchor, Badge, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageHead } from '../parts/page-head.tsx'
import { Loaded } from '../parts/states.tsx'
import { Blocks, Line, plainOf, SectionLink } from './article.tsx'
import type { Article, ErrorEntry } from './article-types.ts'
import { DocLink } from './doc-link.tsx'
import { CHANGELOG_PAGE, ERRORS_PAGE, pathOf, SITE_PAGES, type SitePage } from './guides.ts'
import classes from './site.module.css'
import { siteWords } from './site-words.ts'

interface TocEntry {
  readonly id: string
  readonly title: string
  readonly depth: number
}

const TOC_DEPTH = 3

const tocOf = ({ blocks, errors = [] }: Article): TocEntry[] => [
  ...blocks.flatMap((block) =>
    block.kind === 'heading' && block.depth <= TOC_DEPTH
      ? { id: block.id, title: plainOf(block.inlines), depth: block.depth }
      : [],
  ),
  ...errors.map(({ code, name }) => ({ id: code, title: `${code} ${name}`, depth: 2 })),
]

const Toc = ({ entries }: { readonly entries: readonly TocEntry[] }) => (
  <ul className={classes.toc}>
    {entries.map(({ id, title, depth }) => (
      <li key={id} data-depth={depth}>
        <DocLink href={`#${id}`}>{title}</DocLink>
      </li>
    ))}
  </ul>
)

interface DocumentProps {
  readonly page: SitePage
  readonly article: Article
  readonly children?: ReactNode
}

/** Shows a page that is made from a Markdown file, with its table of contents. */
function Document({ page, article, children }: DocumentProps) {
  const entries = tocOf(article)
  const index = SITE_PAGES.indexOf(page)
  return (
    <div className={classes.document}>
      <div>
        <PageHead
          title={page.name}
          lead={page.about}
          action={
            <Anchor href={`${pathOf(page)}.md`} size="sm">
              {siteWords.asMarkdown}
            </Anchor>
          }
        />
        {entries.length > 1 && (
          <details className={classes.fold}>
            <summary>{siteWords.onThisPage}</summary>
            <Toc entries={entries} />
          </details>
        )}
        <article className={classes.article}>
          <Blocks blocks={article.blocks} />
          {children}
        </article>
        <Turn previous={SITE_PAGES[index - 1]} next={SITE_PAGES[index + 1]} />
      </div>
      {entries.length > 1 && (
        <nav className={classes.aside} aria-label={siteWords.onThisPage}>
          <p className={classes.asideTitle}>{siteWords.onThisPage}</p>
          <Toc entries={entries} />
        </nav>
      )}
    </div>
  )
}

function Turn({ previous, next }: { readonly previous: SitePage | undefined; readonly next: SitePage | undefined }) {
  const link = (page: SitePage, label: string) => (
    <DocLink href={pathOf(page)} className={classes.turn}>
      <span>{label}</span>
      {page.name}
    </DocLink>
  )
  return (
    <nav className={classes.turns} aria-label={siteWords.turn}>
      {previous ? link(previous, siteWords.previous) : <span />}
      {next && link(next, siteWords.next)}
    </nav>
  )
}

/** One file for all these pages is smaller than several: the first page of every area names each file. */
export { LandingPage } from './landing-page.tsx'

const guideRoute = getRouteApi('/site/docs/guides/$guide')
const errorsRoute = getRouteApi('/site/docs/errors')
const changelogRoute = getRouteApi('/site/docs/changelog')

export function GuidePage() {
  const { guide } = guideRoute.useParams()
  const query = useQuery(guideRoute.useLoaderData().article)
  // The loader has refused unknown guides.
  const page = SITE_PAGES.find(({ key }) => key === `guides/${guide}`)!
  return <Loaded query={query}>{(article) => <Document page={page} article={article} />}</Loaded>
}

export const ChangelogPage = () => (
  <Loaded query={useQuery(changelogRoute.useLoaderData().article)}>
    {(article) => <Document page={CHANGELOG_PAGE} article={article} />}
  </Loaded>
)

export const ErrorsPage = () => (
  <Loaded query={useQuery(errorsRoute.useLoaderData().article)}>
    {(article) => (
      <Document page={ERRORS_PAGE} article={article}>
        {article.errors?.map((entry) => (
          <ErrorSection key={entry.code} {...entry} />
        ))}
      </Document>
    )}
  </Loaded>
)

const ErrorSection = ({ code, name, status, text, advice }: ErrorEntry) => (
  <section className={classes.error}>
    <Title order={2} id={code} className={classes.heading}>
      {code} <code className={classes.inlineCode}>{name}</code>
      <SectionLink id={code} title={code} />
    </Title>
    <Badge color={Number(status) >= 500 ? 'gray' : 'red'} mb="xs">
      {siteWords.status(status)}
    </Badge>
    <p>{text.replace(/[^.?!]$/, '$&.')}</p>
    <p>
      <strong>{siteWords.whatToDo}:</strong> <Line inlines={advice} />
    </p>
  </section>
)
