//! `luthier-cluster`: lets an Apache Ballista cluster answer a query over a dataset, for `luthier query --scheduler`.
//!
//! The dataset is what `luthier query --export` writes: its catalogue says which tables and views there are. Rows go to standard output as
//! an Arrow stream. Scheduler and executors read the files of the dataset themselves, by the same path.

mod catalogue;

use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use anyhow::{Context, Result};
use ballista::prelude::{SessionConfigExt, SessionContextExt};
use catalogue::Catalogue;
use clap::Parser;
use datafusion::{
    arrow::{array::RecordBatch, datatypes::DataType, ipc::writer::StreamWriter},
    datasource::{file_format::parquet::ParquetFormat, listing::ListingOptions},
    execution::{SessionStateBuilder, context::SQLOptions},
    prelude::{SessionConfig, SessionContext},
};
use futures::TryStreamExt;

/// Let an Apache Ballista cluster answer a query over a dataset of `luthier query --export`; rows go to standard output as an Arrow stream.
#[derive(Parser)]
#[command(name = "luthier-cluster", version)]
struct Options {
    /// Address of the cluster: df://HOST:PORT
    #[arg(long, value_name = "URL")]
    scheduler: String,
    /// Folder of the dataset, by the path that scheduler and executors reach it by
    #[arg(long, value_name = "DATASET")]
    dataset: PathBuf,
    /// The query
    sql: String,
}

#[tokio::main]
async fn main() -> ExitCode {
    match answer(&Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let text = format!("{error:#}");
            let lines: Vec<_> = text
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .collect();
            eprintln!("{}", lines.join("; "));
            ExitCode::from(2)
        }
    }
}

async fn answer(options: &Options) -> Result<()> {
    let catalogue = Catalogue::read(&options.dataset)?;
    let config = SessionConfig::new_with_ballista().with_information_schema(false);
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_default_features()
        .build();
    let context = SessionContext::remote_with_state(&options.scheduler, state)
        .await
        .with_context(|| format!("{} is no scheduler", options.scheduler))?;
    register(&context, &catalogue, &options.dataset).await?;
    let only_read = SQLOptions::new()
        .with_allow_ddl(false)
        .with_allow_dml(false)
        .with_allow_statements(false);
    let frame = context.sql_with_options(&options.sql, only_read).await?;
    let planned = Arc::clone(frame.schema().inner());
    let mut rows = frame.execute_stream().await?;
    let mut output = BufWriter::new(io::stdout().lock());
    let first = rows.try_next().await?;
    // (Executors may answer with narrower types than were planned.)
    let schema = first.as_ref().map_or(planned, RecordBatch::schema);
    let mut writer = StreamWriter::try_new(&mut output, &schema)?;
    let mut next = first;
    while let Some(batch) = next {
        writer.write(&batch)?;
        next = rows.try_next().await?;
    }
    writer.finish()?;
    drop(writer);
    output.flush()?;
    Ok(())
}

/// Makes the tables and views of the dataset known to the planner.
async fn register(context: &SessionContext, catalogue: &Catalogue, dataset: &Path) -> Result<()> {
    for table in &catalogue.tables {
        let partitions = table
            .partitions
            .iter()
            .map(|name| (name.clone(), DataType::Int64));
        let files = ListingOptions::new(Arc::new(ParquetFormat::default()))
            .with_file_extension(".parquet")
            .with_table_partition_cols(partitions.collect());
        let folder = dataset.join(&table.name);
        context
            .register_listing_table(&table.name, folder.to_string_lossy(), files, None, None)
            .await
            .with_context(|| format!("{} cannot be read", folder.display()))?;
    }
    for view in &catalogue.views {
        context
            .sql(&format!("CREATE VIEW {} AS {}", view.name, view.sql))
            .await
            .with_context(|| format!("the view {} of the catalogue", view.name))?;
    }
    Ok(())
}
