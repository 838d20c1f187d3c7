import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Eye } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { itemsAround, titleOf } from './items.ts'
import { UnitPreview } from './unit-preview.tsx'
import { packageWords } from './words.ts'

const route = getRouteApi('/signed-in/dashboard/packages/$organisation/$packageId/preview/$item')
const { preview: say } = packageWords

/** Shows a unit of a package to an author, with a way back to the course or the package. */
export function PackagePreviewPage() {
  const { organisation, packageId, item } = route.useParams()
  const { course } = route.useSearch()
  const found = useQuery(route.useLoaderData().package)
  const position = Number(item)
  const items = useQuery(itemsAround(packageId, position))
  const unit = items.data?.docs.find((one) => one.position === position)
  return (
    <>
      <PageHead
        title={unit ? titleOf(unit) : packageWords.lesson.preview}
        lead={found.data?.title}
        above={
          course === undefined ? (
            <TextLink to="/dashboard/packages/$organisation/$packageId" params={{ organisation, packageId }} size="sm">
              {say.backToPackage}
            </TextLink>
          ) : (
            <TextLink to="/dashboard/courses/$courseId" params={{ courseId: course }} size="sm">
              {say.back}
            </TextLink>
          )
        }
      />
      <Alert icon={<Eye size={18} aria-hidden />} mb="lg">
        {say.banner}
      </Alert>
      <UnitPreview packageId={packageId} position={position} />
    </>
  )
}
